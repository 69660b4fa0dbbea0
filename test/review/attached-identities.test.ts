import { expect, test } from '@jest/globals';
import { CLAIMS, MACHINE_LOGIN, mountWithRole, OBJECT, userIdentity, vm } from '../paths/mount.js';

test('an attached identity that is no user-assigned identity is not looked up as one', async () => {
  const mount = await mountWithRole({ bound_resource_groups: ['rg'] });
  mount.validator.answer = { ...CLAIMS, resourceId: vm('web') };
  const impostor = userIdentity('shared').replace('userAssignedIdentities', 'somethingElse');
  mount.lookups.machine = { id: vm('web'), location: 'westeurope', userAssigned: [{ id: impostor }] };
  mount.lookups.identities = { shared: OBJECT };
  await expect(mount.login(MACHINE_LOGIN)).rejects.toMatchObject({ code: 'login_denied', rule: 'identity-attached' });
  expect(mount.lookups.identityCalls).toEqual([]);
});
