import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, test } from '@jest/globals';
import type { Machine, Simulator } from '../../src/simulator/index.js';
import { World } from './world.js';

const PLACE = { subscriptionId: randomUUID(), resourceGroup: 'shared' };
const DENIED = { code: 'login_denied', rule: 'identity-attached' };

let world: World;

afterEach(() => world.close());

/** The machine `web`, in every cloud of the same id and with a principal of its own. */
function addWeb(cloud: Simulator): Machine {
  return cloud.addVirtualMachine({ name: 'web', systemAssigned: true });
}

describe('what the cloud said about a machine serves no other (A13)', () => {
  test('mount, whose credentials may not read it', async () => {
    world = await World.start({});
    const machine = addWeb(world.cloud);
    const stranger = world.cloud.addApplication({ mayRead: () => false });
    const host = await world.host();
    const login = await world.machineLogin(machine);
    await host.login(login);

    await host.write('/sys/auth/other', { type: 'cloud' });
    await host.write('/auth/other/config', world.config(world.cloud, stranger));
    await host.write('/auth/other/role/web', { bound_resource_groups: [world.cloud.resourceGroup] });
    await expect(host.write('/auth/other/login', login)).rejects.toMatchObject({ code: 'not_configured' });
    await host.login(login);
  });

  test('mount, however alike', async () => {
    world = await World.start({});
    const login = await world.machineLogin(addWeb(world.cloud));
    for (const host of [await world.host(), await world.host()]) {
      world.takeCalls();
      await host.login(login);
      expect(world.takeCalls()).toEqual(['discovery', 'keys', 'access token', 'machine']);
    }
  });

  test('configuration, whose credentials may not read it', async () => {
    world = await World.start({});
    const stranger = world.cloud.addApplication({ mayRead: () => false });
    const host = await world.host();
    const login = await world.machineLogin(addWeb(world.cloud));
    await host.login(login);
    await host.write('config', world.config(world.cloud, stranger));
    await expect(host.login(login)).rejects.toMatchObject({ code: 'not_configured' });
  });

  test('configuration, however alike', async () => {
    world = await World.start({});
    const host = await world.host();
    const login = await world.machineLogin(addWeb(world.cloud));
    await host.login(login);
    world.takeCalls();
    await host.write('config', world.config());
    await host.login(login);
    expect(world.takeCalls()).toContain('machine');
  });

  test.each([
    ['tenant', {}],
    ['environment of the same tenant', { tenantId: randomUUID() }],
  ])('%s in which a machine has the same id', async (_, same) => {
    world = await World.start({ ...PLACE, ...same }, { ...PLACE, ...same, environmentName: 'OtherCloud' });
    const [here, there] = world.clouds as unknown as [Simulator, Simulator];
    const [ours, theirs] = [addWeb(here), addWeb(there)];
    expect(ours.id).toBe(theirs.id);
    const host = await world.host();
    await host.login(await world.machineLogin(ours));

    await host.write('config', world.config(there));
    await host.login(await world.machineLogin(theirs, {}, there));
    expect(there.calls({ service: 'resource-manager' })).toHaveLength(1);
    const posing = await world.machineLogin(ours, {}, there);
    await expect(host.login(posing)).rejects.toMatchObject(DENIED);
  });

  test.each([
    ['subscription', { subscriptionId: randomUUID() }],
    ['resource group', { resourceGroup: 'other' }],
    ['machine of a longer name', { name: 'web2' }],
  ])('%s', async (_, elsewhere) => {
    world = await World.start(PLACE);
    const ours = addWeb(world.cloud);
    const theirs = world.cloud.addVirtualMachine({ name: 'web', systemAssigned: true, ...elsewhere });
    const host = await world.host();
    await host.write('role/web', { bound_resource_groups: [ours.resourceGroup, theirs.resourceGroup] });
    // Without the claims that name the machine, only what the cloud says tells them apart.
    const omit = ['xms_az_rid', 'xms_mirid'];
    await host.login(await world.machineLogin(ours, { omit }));
    await host.login(await world.machineLogin(theirs, { omit }));
    expect(world.takeCalls().filter((kind) => kind === 'machine')).toHaveLength(2);

    const { jwt = '' } = await world.machineLogin(ours, { omit });
    const posing = { ...(await world.machineLogin(theirs, { omit })), jwt };
    await expect(host.login(posing)).rejects.toMatchObject(DENIED);
  });

  test('kind of resource of the same name', async () => {
    world = await World.start(PLACE);
    const machine = addWeb(world.cloud);
    world.cloud.addScaleSet({ name: 'web', systemAssigned: true });
    const host = await world.host();
    const login = await world.machineLogin(machine, { omit: ['xms_az_rid', 'xms_mirid'] });
    await host.login(login);
    await expect(host.login({ ...login, vmss_name: 'web' })).rejects.toMatchObject(DENIED);
  });

  test('principal whose groups are asked for', async () => {
    world = await World.start(PLACE);
    const [member, stranger] = [addWeb(world.cloud), world.cloud.addVirtualMachine({ systemAssigned: true })];
    const group = world.cloud.addGroup({ members: [member.systemAssigned!] });
    const host = await world.host();
    await host.write('role/web', { bound_group_ids: [group.id], bound_resource_groups: [] });
    await host.login(await world.login(member, { groups: 'overage' }));
    const posing = await world.login(stranger, { groups: 'overage' });
    await expect(host.login(posing)).rejects.toMatchObject({ code: 'login_denied', rule: 'group-confirmed' });
  });
});
