import type { Simulator } from '../../simulator/index.js';
import { AUDIENCE } from './arena.js';
import type { Arena } from './arena.js';
import type { Attack, AttackGroup } from './attack.js';
import type { Refusal } from './refusal.js';

// Without these, nothing but the cloud's answer tells machines apart.
const omit = ['xms_az_rid', 'xms_mirid'];

/** A refusal that counts only if the cloud was asked meanwhile. */
async function askedAnew(cloud: Simulator, attempt: () => Promise<Refusal | undefined>): Promise<Refusal | undefined> {
  cloud.resetCalls();
  const refusal = await attempt();
  if (cloud.calls({ service: 'resource-manager' }).length === 0) return undefined;
  return refusal && { ...refusal, note: 'the cloud was asked anew' };
}

/** Logs the machine `web` in at the first mount, so that there is something to be found in caches. */
async function warmed(arena: Arena): Promise<Readonly<Record<string, unknown>>> {
  const { web } = arena.inhabitants;
  const body = await arena.loginOf({ from: web, token: { omit }, as: web });
  await arena.logIn(body);
  return body;
}

const OTHER_CREDENTIALS: Attack = {
  title: 'other credentials, which may not read the machine',
  refusedBy: 'The configured client_id may not read this resource in the cloud.',
  attempt: async (arena) => {
    const body = await warmed(arena);
    await arena.mount('other-credentials', arena.configuration(arena.cloud, arena.inhabitants.stranger));
    return askedAnew(arena.cloud, () => arena.refusalOf(body, 'other-credentials'));
  },
};

const OTHER_CONFIGURATION: Attack = {
  title: 'a configuration written anew, of a machine that lost its identity',
  refusedBy: 'identity-attached',
  attempt: async (arena) => {
    const { cloud } = arena;
    const machine = cloud.addVirtualMachine({ name: 'leaver', systemAssigned: true });
    const body = await arena.loginOf({ from: machine, as: machine });
    await arena.logIn(body);
    cloud.updateVirtualMachine(machine, { systemAssigned: false });
    await arena.administer('auth/cloud/config', arena.configuration());
    return askedAnew(cloud, () => arena.refusalOf(body));
  },
};

const OTHER_TENANT: Attack = {
  title: 'another tenant, where a machine has the same id',
  refusedBy: 'identity-attached',
  attempt: async (arena) => {
    const { otherCloud, inhabitants } = arena;
    const body = await warmed(arena);
    otherCloud.addApplication(inhabitants.application);
    const twin = otherCloud.addVirtualMachine({ name: inhabitants.web.name, systemAssigned: true });
    const overrides = { oid: inhabitants.web.systemAssigned?.principalId };
    const jwt = await otherCloud.tokenFor(twin, { resource: AUDIENCE, overrides, omit });
    await arena.mount('other-tenant', arena.configuration(otherCloud));
    return askedAnew(otherCloud, () => arena.refusalOf({ ...body, jwt }, 'other-tenant'));
  },
};

const OTHER_SUBSCRIPTION: Attack = {
  title: 'another subscription, where a machine has the same name',
  refusedBy: 'identity-attached',
  attempt: async (arena) => {
    const { cloud, inhabitants } = arena;
    const { jwt } = await warmed(arena);
    const { webElsewhere } = inhabitants;
    const fields = { role: 'prod-of-any-subscription', jwt };
    const body = await arena.loginOf({ from: webElsewhere, as: webElsewhere, fields });
    return askedAnew(cloud, () => arena.refusalOf(body));
  },
};

const OTHER_AUDIENCE: Attack = {
  title: 'another audience, with a token that was just recognised',
  refusedBy: 'token-audience',
  attempt: async (arena) => {
    const body = await warmed(arena);
    await arena.mount('other-audience', { ...arena.configuration(), resource: 'https://other.example' });
    return arena.refusalOf(body, 'other-audience');
  },
};

/** A13: what is remembered of one login serves no other. */
export const CACHES: AttackGroup = {
  id: 'A13',
  title: 'what a login left in the caches, used from elsewhere',
  attacks: [OTHER_CREDENTIALS, OTHER_CONFIGURATION, OTHER_TENANT, OTHER_SUBSCRIPTION, OTHER_AUDIENCE],
  legitimate: { title: 'the machine itself logs in', pose: ({ web }) => ({ from: web, token: { omit }, as: web }) },
};
