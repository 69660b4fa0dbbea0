import { beforeEach, expect, test } from '@jest/globals';
import { AuthMethodError } from '../../src/contract/index.js';
import { CLAIMS, MACHINE_LOGIN, mountWithRole, OBJECT, vm } from './mount.js';
import type { Mount } from './mount.js';

const REFUSED = new AuthMethodError('not_configured', 'The directory refuses the configured credentials.');
const MACHINE = { id: vm('web'), location: 'westeurope', userAssigned: [], systemPrincipalId: OBJECT };

let mount: Mount;

beforeEach(async () => {
  mount = await mountWithRole({ bound_resource_groups: ['rg'] });
  mount.validator.answer = { ...CLAIMS, resourceId: vm('web') };
});

test('a login under way when the credentials are replaced goes on with the new ones', async () => {
  mount.lookups.machine = async () => {
    await mount.write('config', { client_secret: 'canary-second' });
    mount.lookups.machine = MACHINE;
    throw REFUSED;
  };
  await expect(mount.login(MACHINE_LOGIN)).resolves.toMatchObject({ alias: { name: OBJECT } });
  expect(mount.lookups.configurations.map(({ clientSecret }) => clientSecret)).toEqual([undefined, 'canary-second']);
});

test('one whose credentials are refused while they are the current ones is not tried again', async () => {
  mount.lookups.machine = REFUSED;
  await expect(mount.login(MACHINE_LOGIN)).rejects.toBe(REFUSED);
  expect(mount.lookups.machineCalls).toHaveLength(1);
});

test('one that the new credentials do not help either is not tried a third time', async () => {
  mount.lookups.machine = async () => {
    await mount.write('config', { client_secret: `canary-${mount.lookups.machineCalls.length}` });
    throw REFUSED;
  };
  await expect(mount.login(MACHINE_LOGIN)).rejects.toMatchObject({ code: 'not_configured' });
  expect(mount.lookups.machineCalls).toHaveLength(2);
});

test('an outage and a denial are not tried again, whatever was written meanwhile', async () => {
  const outage = new AuthMethodError('provider_unavailable', 'The provider did not answer.');
  mount.lookups.machine = async () => {
    await mount.write('config', { client_secret: 'canary-second' });
    throw outage;
  };
  await expect(mount.login(MACHINE_LOGIN)).rejects.toBe(outage);
  mount.lookups.machine = async () => {
    await mount.write('config', { client_secret: 'canary-third' });
    return undefined;
  };
  await expect(mount.login(MACHINE_LOGIN)).rejects.toMatchObject({ code: 'login_denied' });
  expect(mount.lookups.machineCalls).toHaveLength(2);
});
