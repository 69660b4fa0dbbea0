import { expect, test } from '@jest/globals';
import { CLAIMS, CONFIG, MACHINE_LOGIN, Mount, OBJECT, vm } from '../paths/mount.js';

const CREDENTIALS = { client_id: 'client', client_secret: 'canary-secret' };

test.each(['msi', 'aks_wi'])('auth_type %s is not met with the client secret', async (authType) => {
  const mount = new Mount();
  await mount.write('config', { ...CONFIG, ...CREDENTIALS, auth_type: authType });
  await mount.write('role/dev', { bound_resource_groups: ['rg'] });
  mount.validator.answer = { ...CLAIMS, resourceId: vm('web') };
  mount.lookups.machine = { id: vm('web'), location: 'westeurope', systemPrincipalId: OBJECT, userAssigned: [] };
  await mount.login(MACHINE_LOGIN);
  expect(mount.lookups.configurations.map(({ clientSecret }) => clientSecret)).toEqual([undefined]);
});

test.each(['msi', 'aks_wi'] as const)('a write pins %s without a warning, since it is acted on', async (authType) => {
  const mount = new Mount();
  expect(await mount.write('config', { ...CONFIG, auth_type: authType })).toBeUndefined();
  await mount.write('role/dev', { bound_resource_groups: ['rg'] });
  mount.validator.answer = { ...CLAIMS, resourceId: vm('web') };
  mount.lookups.machine = { id: vm('web'), location: 'westeurope', systemPrincipalId: OBJECT, userAssigned: [] };
  await mount.login(MACHINE_LOGIN);
  expect(mount.lookups.configurations.map(({ credentialKind }) => credentialKind)).toEqual([authType]);
});
