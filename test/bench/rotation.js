import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createBackend } from '../../dist/index.js';
import { createMemoryHost } from '../../dist/hosts/memory/index.js';
import { compare, rate, report } from './measure.js';
import { configOf, roleOf, SILENT } from './world.js';

/** Milliseconds that the cloud takes for every answer: what is usual at best, and none, so that rotations only compete for the processor. */
const LATENCIES = [20, 0];
const IN_FLIGHT = 50;
const TOKENS = 8_000;
// Long enough for several rotations each.
const BATCH = 2_000;
const ROUNDS = 11;

async function startCloud() {
  const child = fork(new URL('./rotation-cloud.js', import.meta.url));
  const [facts] = await once(child, 'message');
  const ask = async (...command) => {
    child.send(command);
    return (await once(child, 'message'))[0];
  };
  const stop = async () => {
    child.kill();
    await once(child, 'exit');
  };
  return { facts, tokens: await ask('tokens', TOKENS), ask, stop };
}

async function startHost({ environment, tenantId, machine, clientId, clientSecret }) {
  const factory = (services) => createBackend(services, { environments: [environment], env: {} });
  const host = await createMemoryHost({ factory, logger: SILENT });
  await host.write('config', { ...configOf({ tenantId }), client_id: clientId, client_secret: clientSecret });
  await host.write('role/listed', roleOf(machine));
  await host.write('role/placed', { bound_resource_groups: [machine.resourceGroup], token_policies: ['web'] });
  return host;
}

/** Rotates one time after the other while `work` goes on. */
async function whileRotating(host, counts, work) {
  const begin = performance.now();
  let isOver = false;
  const rotating = (async () => {
    while (!isOver) {
      await host.write('rotate-root');
      counts.rotations += 1;
    }
  })();
  const result = await work();
  isOver = true;
  await rotating;
  counts.seconds += (performance.now() - begin) / 1000;
  return result;
}

/** Logins per second while rotations run back to back, and how many of both went how. */
async function compareRotating(cloud, title, names) {
  const host = await startHost(cloud.facts);
  const counts = { rotations: 0, seconds: 0, logins: 0, failed: 0 };
  let next = 0;
  const logins = () => {
    const batch = cloud.tokens.slice(next, next + BATCH);
    next = (next + BATCH) % TOKENS;
    return rate(batch, IN_FLIGHT, async (jwt) => {
      counts.logins += 1;
      await host.login({ ...names, jwt }).catch(() => (counts.failed += 1));
    });
  };
  const result = await compare(ROUNDS, () => whileRotating(host, counts, logins), logins);
  report(`${title}: while rotations run back to back : without`, result, '>= 0.9');
  const { rotations, seconds, failed } = counts;
  const pace = rotations / seconds;
  const cost = ((1 - result.ratio) / pace) * 1000;
  process.stdout.write(
    `  ${rotations} rotations, ${pace.toFixed(1)} per second, each costs ${cost.toFixed(0)} ms of logins; ` +
      `${counts.logins} logins, ${failed} failed; goal 0 failed\n`,
  );
  // The next host goes on with the secret that this one leaves.
  const { data } = await host.read('config');
  await host.close();
  return data.client_secret;
}

/** What rotations cost the logins meanwhile. */
export async function benchRotation() {
  const cloud = await startCloud();
  const { facts } = cloud;
  const { subscriptionId, resourceGroup, name } = facts.machine;
  const names = { subscription_id: subscriptionId, resource_group_name: resourceGroup, vm_name: name };
  const kinds = { 'by the token alone': { role: 'listed' }, 'with a lookup': { role: 'placed', ...names } };
  for (const latency of LATENCIES) {
    await cloud.ask('latency', latency);
    for (const [kind, body] of Object.entries(kinds)) {
      const title = `logins ${kind}, a cloud that answers in ${latency} ms`;
      facts.clientSecret = await compareRotating(cloud, title, body);
    }
  }
  process.stdout.write(`credentials in the directory at the end\n  ${await cloud.ask('passwords')}; goal 1\n`);
  await cloud.stop();
}
