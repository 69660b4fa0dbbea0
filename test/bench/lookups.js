import { Agent, request } from 'undici';
import { createBackend } from '../../dist/index.js';
import { createMemoryHost } from '../../dist/hosts/memory/index.js';
import { startSimulator } from '../../dist/testing/index.js';
import { compare, median, rate, report } from './measure.js';
import { configOf, RESOURCE, SILENT } from './world.js';

const LATENCY = 20;
const MACHINES = 200;
const IN_FLIGHT = 50;
const TOKENS = 4_000;
const BATCH = 1_000;
const ROUNDS = 21;

/** A slow cloud with a scale set and many machines, and an application that may read them. */
async function startCloud() {
  const cloud = await startSimulator();
  cloud.setLatency(LATENCY);
  const scaleSet = cloud.addScaleSet({ name: 'web', systemAssigned: true });
  const instances = Array.from({ length: 10 }, () => cloud.addInstance(scaleSet));
  const machines = Array.from({ length: MACHINES }, (_, index) =>
    cloud.addVirtualMachine({ name: `machine-${index}`, systemAssigned: true }),
  );
  const application = cloud.addApplication();
  return { cloud, scaleSet, instances, machines, application };
}

/** A host that knows nothing yet of the cloud, with a role that asks for resources and one that does not. */
async function startHost({ cloud, scaleSet, machines, application }) {
  const factory = (services) => createBackend(services, { environments: [cloud.environment], env: {} });
  const host = await createMemoryHost({ factory, logger: SILENT });
  const { clientId, clientSecret } = application;
  await host.write('config', { ...configOf(cloud), client_id: clientId, client_secret: clientSecret });
  await host.write('role/placed', { bound_resource_groups: [cloud.resourceGroup], token_policies: ['web'] });
  const principals = [scaleSet, ...machines].map(({ systemAssigned }) => systemAssigned.principalId);
  await host.write('role/listed', { bound_service_principal_ids: principals, token_policies: ['web'] });
  return host;
}

/** Logins of these machines, in turns, each with a token of its own. `place` says where they are. */
async function loginsOf(cloud, machines, count, place) {
  const logins = [];
  for (let made = 0; made < count; made += 100) {
    const next = Array.from({ length: 100 }, (_, index) => machines[(made + index) % machines.length]);
    const tokens = await Promise.all(next.map((machine) => cloud.tokenFor(machine, { resource: RESOURCE })));
    logins.push(...tokens.map((jwt, index) => ({ jwt, role: 'placed', ...place(next[index]) })));
  }
  return logins;
}

const placeOf = ({ subscriptionId, resourceGroup }) => ({
  subscription_id: subscriptionId,
  resource_group_name: resourceGroup,
});
const asInstance = (machine) => ({ ...placeOf(machine), vmss_name: machine.scaleSet.name });
const asMachine = (machine) => ({ ...placeOf(machine), vm_name: machine.name });

/** Logs in once per login at a fresh host and prints how many calls that cost. */
async function countCalls(world, logins, title, goal) {
  const host = await startHost(world);
  world.cloud.resetCalls();
  await rate(logins, IN_FLIGHT, (login) => host.login(login));
  const calls = world.cloud.calls().length;
  process.stdout.write(`provider calls of ${title}, ${IN_FLIGHT} in flight\n  ${calls}; goal ${goal}\n`);
  await host.close();
}

/** Logins at a host of their own, the next batch at each turn. None comes back before it is forgotten as recognised. */
async function turns(world, logins, changes = {}) {
  const host = await startHost(world);
  let next = 0;
  return {
    measure: () => {
      const batch = logins.slice(next, next + BATCH);
      next = (next + BATCH) % logins.length;
      return rate(batch, IN_FLIGHT, (login) => host.login({ ...login, ...changes }));
    },
    close: () => host.close(),
  };
}

/** Logins with a lookup that is cached, against the same logins by a role that needs none. */
async function compareWarm(world, logins, title) {
  const placed = await turns(world, logins);
  const listed = await turns(world, logins, { role: 'listed' });
  report(title, await compare(ROUNDS, placed.measure, listed.measure), '>= 0.8');
  await Promise.all([placed.close(), listed.close()]);
}

/** Milliseconds that something takes. */
async function time(work) {
  const start = process.hrtime.bigint();
  await work();
  return Number(process.hrtime.bigint() - start) / 1e6;
}

/** First logins of machines, one after the other, each beside a plain request for the same thing over a kept-alive connection. */
async function compareCold(world) {
  const { cloud, application, machines } = world;
  const host = await startHost(world);
  const [warmUp, ...logins] = await loginsOf(cloud, machines, MACHINES, asMachine);
  cloud.resetCalls();
  await host.login(warmUp);
  const [{ path }] = cloud.calls({ service: 'resource-manager' });
  const dispatcher = new Agent({ connect: { ca: cloud.caPem } });
  const { resourceManagerAudience } = cloud.environment;
  const token = await cloud.applicationToken(application, { resource: resourceManagerAudience });
  const plainGet = async (name) => {
    const url = cloud.url + path.replace(warmUp.vm_name, name);
    const { statusCode, body } = await request(url, { dispatcher, headers: { authorization: `Bearer ${token}` } });
    await body.json();
    if (statusCode !== 200) throw new Error(`the cloud answered ${statusCode}`);
  };
  await plainGet(warmUp.vm_name);

  const pairs = [];
  for (const login of logins) {
    const latency = await time(() => plainGet(login.vm_name));
    pairs.push([await time(() => host.login(login)), latency]);
  }
  const ratios = pairs.map(([login, latency]) => login / latency);
  const [one, other] = [0, 1].map((side) => median(pairs.map((pair) => pair[side])));
  const spread = [Math.min(...ratios), Math.max(...ratios)];
  const result = { one, other, ratio: median(ratios), spread };
  report('first login of a machine : plain GET of the same URL with undici', result, 'about 1', 'ms');
  await dispatcher.close();
  await host.close();
}

/** One token over and over against tokens that all differ, where the token alone decides. */
async function compareRecognised(world, logins) {
  const same = await turns(world, Array(BATCH).fill(logins[0]), { role: 'listed' });
  const distinct = await turns(world, logins, { role: 'listed' });
  const result = await compare(ROUNDS, same.measure, distinct.measure);
  report('the same token again : distinct tokens, memory host', result, '>= 4');
  await Promise.all([same.close(), distinct.close()]);
}

/** What logins cost that the cloud must confirm: calls, and time beside logins by the token alone. */
export async function benchLookups() {
  const world = await startCloud();
  const { cloud, instances, machines } = world;
  const ofInstances = await loginsOf(cloud, instances, TOKENS, asInstance);
  const ofMachines = await loginsOf(cloud, machines, TOKENS, asMachine);

  await countCalls(world, ofInstances.slice(0, 1_000), '1,000 logins of one scale set', 'at most 10');
  await countCalls(world, ofMachines.slice(0, 500), '500 logins of 200 machines', 'at most 210');
  await compareWarm(world, ofInstances, 'logins of a scale set, its lookup warm : by the token alone');
  await compareWarm(world, ofMachines, 'logins of 200 machines, their lookups warm : by the token alone');
  await compareCold(world);
  await compareRecognised(world, ofInstances);
  await cloud.close();
}
