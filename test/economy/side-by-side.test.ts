import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { MemoryHost } from '../../src/hosts/memory/index.js';
import type { Machine } from '../../src/simulator/index.js';
import { kindOf, World } from './world.js';
import type { Login } from './world.js';

let world: World;
let host: MemoryHost;

beforeEach(async () => {
  world = await World.start({});
  host = await world.host({ providerTimeout: 10 });
});

afterEach(() => world.close());

/**
 * Logs in while the cloud leaves calls of that path without an answer, and waits until these kinds of calls are all under way:
 * a login that asked one after the other would end without.
 */
async function expectInFlight(login: Login, path: RegExp, kinds: readonly string[]): Promise<void> {
  world.cloud.resetCalls();
  world.cloud.fail({ path, hang: true });
  const over = new AbortController();
  const refused = host.login(login).catch((error: unknown) => error);
  void refused.then(() => over.abort());
  const inFlight = (): string[] =>
    world.cloud
      .calls()
      .filter(({ status }) => status === undefined)
      .map(kindOf)
      .sort();
  while (inFlight().length < kinds.length && !over.signal.aborted)
    await new Promise((resolve) => setImmediate(resolve));
  expect(inFlight()).toEqual([...kinds].sort());
  await host.close();
  expect(await refused).toMatchObject({ code: 'provider_unavailable' });
}

/** Has another machine log in first, so that keys, access tokens and SDKs are there. */
async function warmUp(): Promise<void> {
  const other = world.cloud.addVirtualMachine({ name: 'other', systemAssigned: true });
  const group = world.cloud.addGroup({ members: [other.systemAssigned!] });
  await host.write('role/warm', { bound_group_ids: [group.id], bound_resource_groups: [world.cloud.resourceGroup] });
  await host.login({ ...(await world.machineLogin(other, { groups: 'overage' })), role: 'warm' });
}

function addMachine(): Machine {
  const userAssigned = ['one', 'two'].map((name) => world.cloud.addUserAssignedIdentity({ name }));
  return world.cloud.addVirtualMachine({ name: 'web', userAssigned, omitPrincipalIds: true });
}

/** A login of a member of too many groups, by a role bound to that many groups and to its resource group. */
async function memberLogin(machine: Machine, groups: number): Promise<Login> {
  const ids = Array.from({ length: groups }, () => randomUUID());
  await host.write('role/web', { bound_group_ids: ids, bound_resource_groups: [world.cloud.resourceGroup] });
  const [identity] = machine.userAssigned;
  return world.machineLogin(machine, { groups: 'overage', ...(identity && { identity }) });
}

describe('calls that do not depend on each other are under way at the same time', () => {
  test('a machine and its groups, in as many portions as these take', async () => {
    await warmUp();
    const login = await memberLogin(addMachine(), 45);
    await expectInFlight(login, /./, ['machine', 'groups', 'groups', 'groups']);
  });

  test('the identities of a machine, and its groups', async () => {
    await warmUp();
    const login = await memberLogin(addMachine(), 1);
    await expectInFlight(login, /checkMemberGroups|userAssignedIdentities/, ['groups', 'identity', 'identity']);
  });

  test('the resource groups in which the identity of a workload may be', async () => {
    await warmUp();
    const groups = ['east', 'west', 'north'];
    const identities = groups.map((resourceGroup) => world.cloud.addUserAssignedIdentity({ resourceGroup }));
    await host.write('role/web', {
      bound_resource_groups: groups,
      bound_subscription_ids: [world.cloud.subscriptionId],
    });
    const jwt = await world.cloud.identityToken(identities[0]!, { resource: world.config()['resource']! });
    await expectInFlight({ role: 'web', jwt }, /./, ['identities', 'identities', 'identities']);
  });

  test('the access tokens for resource manager and directory', async () => {
    await expectInFlight(await memberLogin(addMachine(), 1), /oauth2/, ['access token', 'access token']);
  });

  test('first logins of several machines', async () => {
    await warmUp();
    const machines = ['a', 'b', 'c'].map((name) => world.cloud.addVirtualMachine({ name, systemAssigned: true }));
    const [last, ...others] = await world.machineLogins(3, machines);
    const denied = others.map((login) => expect(host.login(login)).rejects.toMatchObject({ status: 503 }));
    await expectInFlight(last!, /virtualMachines/, ['machine', 'machine', 'machine']);
    await Promise.all(denied);
  });
});
