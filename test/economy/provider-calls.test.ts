import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { Fault, Machine } from '../../src/simulator/index.js';
import { loginAll, World } from './world.js';

const COLD = ['discovery', 'keys', 'access token'];
const IN_FLIGHT = 50;

let world: World;

beforeEach(async () => {
  world = await World.start({});
});

afterEach(() => world.close());

function addMachines(count: number): Machine[] {
  return Array.from({ length: count }, (_, index) =>
    world.cloud.addVirtualMachine({ name: `machine-${index}`, systemAssigned: true }),
  );
}

describe('logins of many', () => {
  test.each(['uniform', 'flexible'] as const)(
    'instances of one %s scale set cost no more calls than one',
    async (orchestration) => {
      const scaleSet = world.cloud.addScaleSet({
        orchestration,
        // Flexible scale sets come with their user-assigned identities, whose object ids have to be asked for.
        systemAssigned: orchestration === 'uniform',
        userAssigned: [world.cloud.addUserAssignedIdentity()],
        omitPrincipalIds: orchestration === 'flexible',
      });
      const instances = Array.from({ length: 10 }, () => world.cloud.addInstance(scaleSet));
      const logins = await world.machineLogins(1_000, instances);
      await loginAll(await world.host(), logins, IN_FLIGHT);
      const calls = world.takeCalls();
      expect(calls.length).toBeLessThanOrEqual(10);
      expect(calls).toEqual([...COLD, 'scale set', ...(orchestration === 'flexible' ? ['identity'] : [])]);
    },
  );

  test('machines cost one call for each machine', async () => {
    const logins = await world.machineLogins(500, addMachines(200));
    await loginAll(await world.host(), logins, IN_FLIGHT);
    const calls = world.takeCalls();
    expect(calls.length).toBeLessThanOrEqual(210);
    expect(calls).toHaveLength(COLD.length + 200);
    expect(calls.filter((kind) => kind === 'machine')).toHaveLength(200);
  });

  test('resources of one type cost one call for each, and one for the type', async () => {
    const sites = Array.from({ length: 20 }, (_, index) =>
      world.cloud.addResource({ type: 'Microsoft.Web/sites', name: `site-${index}`, systemAssigned: true }),
    );
    const logins = await Promise.all(
      [...sites, ...sites].map(async (site) => ({ ...(await world.login(site)), resource_id: site.id })),
    );
    await loginAll(await world.host(), logins, IN_FLIGHT);
    const calls = world.takeCalls();
    expect(calls.filter((kind) => kind === 'site')).toHaveLength(20);
    expect(calls).toHaveLength(COLD.length + 1 + 20);
  });

  test('members of too many groups to list cost one question about each of them', async () => {
    const members = addMachines(10);
    const group = world.cloud.addGroup({ members: members.map(({ systemAssigned }) => systemAssigned!) });
    const host = await world.host();
    await host.write('role/members', { bound_group_ids: [group.id] });
    const logins = await Promise.all([...members, ...members].map((each) => world.login(each, { groups: 'overage' })));
    await loginAll(
      host,
      logins.map((login) => ({ ...login, role: 'members' })),
      IN_FLIGHT,
    );
    expect(world.takeCalls().filter((kind) => kind === 'groups')).toHaveLength(10);
  });
});

describe('the first login of a machine', () => {
  test('costs one call once another machine has logged in', async () => {
    const [first, second] = addMachines(2) as [Machine, Machine];
    const host = await world.host();
    await host.login(await world.machineLogin(first));
    expect(world.takeCalls()).toEqual([...COLD, 'machine']);
    await host.login(await world.machineLogin(second));
    expect(world.takeCalls()).toEqual(['machine']);
  });
});

describe('the same token again', () => {
  test('costs no call, nor does another one of the same machine', async () => {
    const [machine] = addMachines(1) as [Machine];
    const host = await world.host();
    const login = await world.machineLogin(machine);
    await host.login(login);
    world.takeCalls();
    await host.login(login);
    await host.login(await world.machineLogin(machine));
    expect(world.takeCalls()).toEqual([]);
  });

  test('has the cloud asked anew once its answer is 30 seconds old', async () => {
    const [machine] = addMachines(1) as [Machine];
    const host = await world.host();
    const login = await world.machineLogin(machine);
    await host.login(login);
    world.takeCalls();
    world.clock.advance(29_999);
    await host.login(login);
    expect(world.takeCalls()).toEqual([]);
    world.clock.advance(1);
    await host.login(login);
    expect(world.takeCalls()).toEqual(['machine']);
  });

  test('is refused as soon as answers about its machine have aged', async () => {
    const [machine] = addMachines(1) as [Machine];
    const host = await world.host();
    const login = await world.machineLogin(machine);
    await host.login(login);
    world.cloud.removeResource(machine);
    await host.login(login);
    world.clock.advance(30_000);
    await expect(host.login(login)).rejects.toMatchObject({ code: 'login_denied', rule: 'resource-exists' });
  });
});

describe('lookupTtl', () => {
  test('of 0 has the cloud asked at every login', async () => {
    const [machine] = addMachines(1) as [Machine];
    const host = await world.host({ lookupTtl: 0 });
    const login = await world.machineLogin(machine);
    for (let turn = 0; turn < 3; turn++) await host.login(login);
    expect(world.takeCalls()).toEqual([...COLD, 'machine', 'machine', 'machine']);
  });

  test('of 5 lets answers serve for five seconds', async () => {
    const [machine] = addMachines(1) as [Machine];
    const host = await world.host({ lookupTtl: 5 });
    const login = await world.machineLogin(machine);
    await host.login(login);
    world.clock.advance(4_999);
    await host.login(login);
    world.clock.advance(1);
    await host.login(login);
    expect(world.takeCalls()).toEqual([...COLD, 'machine', 'machine']);
  });
});

describe('a login right after one that failed', () => {
  test.each<[string, Fault]>([
    ['is forbidden', { status: 403, body: { error: { code: 'AuthorizationFailed' } } }],
    ['is throttled', { status: 429, headers: { 'retry-after': '3600' } }],
    ['is down', { status: 503, headers: { 'retry-after': '3600' } }],
    ['answers with something else', { body: { canary: 'nonsense' } }],
    ['knows no such machine', { status: 404, body: { error: { code: 'ResourceNotFound' } } }],
  ])('because the lookup %s asks anew', async (_, fault) => {
    const [machine] = addMachines(1) as [Machine];
    const host = await world.host();
    const login = await world.machineLogin(machine);
    const handle = world.cloud.fail({ service: 'resource-manager', ...fault });
    await expect(host.login(login)).rejects.toBeDefined();
    expect(handle.hits).toBe(1);
    handle.remove();
    world.takeCalls();
    await host.login(login);
    expect(world.takeCalls()).toEqual(['machine']);
  });

  test('because its principal was in none of the groups asks anew', async () => {
    const [machine] = addMachines(1) as [Machine];
    const group = world.cloud.addGroup();
    const host = await world.host();
    await host.write('role/members', { bound_group_ids: [group.id] });
    const login = { ...(await world.login(machine, { groups: 'overage' })), role: 'members' };
    await expect(host.login(login)).rejects.toMatchObject({ rule: 'group-confirmed' });
    world.cloud.addGroup({ id: group.id, members: [machine.systemAssigned!] });
    await host.login(login);
    expect(world.takeCalls().filter((kind) => kind === 'groups')).toHaveLength(2);
  });
});
