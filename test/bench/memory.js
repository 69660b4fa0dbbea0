import { fork } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { startSimulator } from '../../dist/testing/index.js';
import { rate } from './measure.js';
import { configOf, RESOURCE } from './world.js';

const IN_FLIGHT = 50;
// The bounds, as src/jwt, src/cloud and src/paths have them.
const KEYS = 100;
const TOKENS = 2_048;
const LOOKUPS = 10_000;
const NAMESPACES = 64;
const SUBSCRIPTIONS = 64;
const ROLES = 100_000;
/** Types of a large provider namespace. */
const TYPES = 200;
/** As many as fit into a token of 16 KiB. */
const GROUPS = 275;

const range = (count) => Array.from({ length: count }, (_, index) => index);

/** A mount in a process of its own. */
async function startMount(environment) {
  const child = fork(new URL('./memory-mount.js', import.meta.url), { execArgv: ['--expose-gc'] });
  child.send({ environment });
  await once(child, 'message');
  const waiting = new Map();
  child.on('message', ({ id, answer }) => {
    waiting.get(id)(answer);
    waiting.delete(id);
  });
  let asked = 0;
  const ask = (question) =>
    new Promise((resolve) => {
      const id = (asked += 1);
      waiting.set(id, resolve);
      child.send({ id, ...question });
    });
  const request = async (operation, path, data, wanted = ['served']) => {
    const answer = await ask({ request: { operation, path, data } });
    if (!wanted.includes(answer))
      throw new Error(`${operation} ${path} ended with ${answer}, not with ${wanted.join(' or ')}`);
  };
  return {
    memory: () => ask({}),
    write: (path, data) => request('update', path, data),
    read: (path) => request('read', path),
    login: (data, wanted) => request('update', 'login', { role: 'web', ...data }, wanted),
    stop: async () => {
      child.kill();
      await once(child, 'exit');
    },
  };
}

/** A cloud whose key sets and lists of resource types are as long as they may get. */
async function startCloud() {
  const cloud = await startSimulator();
  const fakeKeys = range(KEYS - cloud.signingKeys.length).map(() => {
    const modulus = randomBytes(256);
    modulus[0] |= 0x80;
    modulus[255] |= 1;
    return { kty: 'RSA', use: 'sig', kid: randomUUID(), n: modulus.toString('base64url'), e: 'AQAB' };
  });
  const keys = [...cloud.signingKeys.map(({ jwk }) => jwk), ...fakeKeys];
  cloud.fail({ path: /\/discovery\/(v2\.0\/)?keys/, body: { keys } });
  const apiVersions = range(10).map((index) => `20${20 + index}-01-01`);
  const resourceTypes = range(TYPES).map((index) => ({ resourceType: `things${index}`, apiVersions }));
  cloud.fail({ path: /^\/subscriptions\/[^/]+\/providers\/[^/?]+(\?|$)/, body: { resourceTypes } });
  return cloud;
}

/** What fills which cache. A login that is refused after its lookup fills as much as one that is not. */
function fillings(cloud, mount, machines) {
  const place = { subscription_id: cloud.subscriptionId, resource_group_name: cloud.resourceGroup };
  const [machine] = machines;
  const tokenFor = (options) => cloud.tokenFor(machine, { resource: RESOURCE, identity: 'system', ...options });
  const each = (count, work) => rate(range(count), IN_FLIGHT, work);
  const anonymous = tokenFor({ omit: ['xms_az_rid', 'xms_mirid'] });
  const login = async (data, wanted) => mount.login({ jwt: await anonymous, ...place, ...data }, wanted);
  const thingOf = (namespace, subscription) =>
    `/subscriptions/${subscription}/resourceGroups/${cloud.resourceGroup}/providers/Contoso.Number${namespace}/things0/thing`;

  return {
    [`one login: a key set of ${KEYS} keys, clients of one SDK`]: () => login({ vm_name: machine.name }),
    [`the other key set of ${KEYS} keys`]: async () =>
      mount.login({ jwt: await tokenFor({ version: 2 }), role: 'listed' }),
    [`${TOKENS} recognised tokens`]: () =>
      each(TOKENS, async () => mount.login({ jwt: await tokenFor(), role: 'listed' })),
    [`the same with ${GROUPS} groups each`]: () =>
      each(TOKENS, async () => {
        const groups = range(GROUPS).map(() => randomUUID());
        await mount.login({ jwt: await tokenFor({ groups }), role: 'listed' });
      }),
    [`${LOOKUPS} lookups of machines with 3 identities`]: async () => {
      await each(LOOKUPS, (index) => login({ vm_name: machines[index].name }, ['served', 'identity-attached']));
      cloud.resetCalls();
      await login({ vm_name: machine.name });
      if (cloud.calls().length > 0) throw new Error('the first lookup is forgotten: they are too many');
    },
    [`${NAMESPACES} lists of ${TYPES} resource types`]: () =>
      each(NAMESPACES, (index) => {
        const resource_id = thingOf(index, cloud.subscriptionId);
        return login({ resource_id }, ['resource-exists']);
      }),
    [`clients of 3 SDKs for ${SUBSCRIPTIONS} subscriptions`]: () =>
      each(SUBSCRIPTIONS, async () => {
        const subscription_id = randomUUID();
        for (const naming of [{ vm_name: 'web' }, { resource_id: thingOf(0, subscription_id) }, {}]) {
          await login({ subscription_id, ...naming }, ['resource-exists']);
        }
      }),
    [`${ROLES} roles`]: () => each(ROLES, (index) => mount.read(`role/role-${index}`)),
  };
}

/** Fills one cache of a mount after the other up to its bound and prints what each has taken. */
export async function benchMemory() {
  const cloud = await startCloud();
  const userAssigned = range(3).map((index) => cloud.addUserAssignedIdentity({ name: `identity-${index}` }));
  const machines = range(LOOKUPS).map((index) =>
    cloud.addVirtualMachine({ name: `machine-${index}`, systemAssigned: true, userAssigned }),
  );
  const { clientId, clientSecret } = cloud.addApplication();
  const mount = await startMount(cloud.environment);
  await mount.write('config', { ...configOf(cloud), client_id: clientId, client_secret: clientSecret });
  await mount.write('role/web', { bound_resource_groups: [cloud.resourceGroup], token_policies: ['web'] });
  const { principalId } = machines[0].systemAssigned;
  await mount.write('role/listed', { bound_service_principal_ids: [principalId], token_policies: ['web'] });

  let before = await mount.memory();
  process.stdout.write('memory of a mount, its caches filled one after the other, in MiB\n');
  const mebibytes = (bytes) => (bytes / 2 ** 20).toFixed(1);
  for (const [what, fill] of Object.entries(fillings(cloud, mount, machines))) {
    await fill();
    const after = await mount.memory();
    const growth = mebibytes(after.heap - before.heap);
    process.stdout.write(
      `  ${what}: heap ${growth} more, ${mebibytes(after.heap)} in all, RSS ${mebibytes(after.rss)}\n`,
    );
    before = after;
  }
  await mount.stop();
  await cloud.close();
}
