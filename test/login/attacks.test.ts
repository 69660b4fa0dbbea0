import { describe, expect, test } from '@jest/globals';
import {
  confirmedResource,
  decide,
  factsOf,
  OBJECT,
  OTHER_OBJECT,
  OTHER_SUBSCRIPTION,
  SUBSCRIPTION,
  userIdentity,
  vm,
} from './support.js';
import type { Login } from './support.js';
import { verifiedMetadata } from '../../src/login/verified-metadata.js';

const role = { bound_resource_groups: ['rg'], bound_locations: ['westeurope'] };
const shared = { id: userIdentity('shared'), principalId: OBJECT };
/** The machine that the caller names: it exists and the caller's identity is attached to it. */
const withShared = { role, confirmed: confirmedResource({ userAssigned: [shared] }) };

describe('A1: the token of a machine, used for another that shares its user-assigned identity', () => {
  test.each<[string, string, Login]>([
    ['by xms_az_rid', 'token-proves-resource', { claims: { resourceId: vm('a') } }],
    [
      'by xms_az_rid, with the identity in xms_mirid',
      'token-proves-resource',
      { claims: { resourceId: vm('a'), managedIdentityId: userIdentity('shared') } },
    ],
    [
      'by nothing but the identity',
      'token-proves-a-machine',
      { claims: { managedIdentityId: userIdentity('shared') } },
    ],
    ['by no claim at all', 'identity-attached', {}],
  ])('%s', (_, rule, login) => {
    expect(decide({ ...withShared, ...login })).toBe(rule);
  });

  test('while the machine itself gets in', () => {
    const claims = { resourceId: vm('web'), managedIdentityId: userIdentity('shared') };
    expect(decide({ ...withShared, claims })).toBe('granted');
  });
});

describe('A2: names that contain one another', () => {
  test.each<[string, string, string]>([
    ['web', 'web-2', 'rg'],
    ['web-2', 'web', 'rg'],
    ['web', 'my-web', 'rg'],
    ['web', 'web_prod_x1', 'rg'],
    ['web', 'web', 'rg-evil'],
    ['web', 'web', 'r'],
    ['rg', 'web', 'rg'],
    ['k', '\u212a', 'rg'],
    ['web', 'we\u200bb', 'rg'],
  ])('vm_name %s with the token of %s in %s', (vmName, name, group) => {
    const login = { ...withShared, request: { vmName }, claims: { resourceId: vm(name, group) } };
    expect(decide({ ...login, confirmed: confirmedResource({ id: vm(vmName), userAssigned: [shared] }) })).toMatch(
      /^token-(proves|resource)-/,
    );
  });

  test('a resource group that differs in a sign that looks or folds alike', () => {
    const claims = { resourceId: vm('web', 'rg\u212a') };
    const request = { resourceGroup: 'rgk' };
    expect(decide({ ...withShared, request, claims })).toBe('token-proves-resource-group');
  });

  test('a role bound to a group that the named one begins with', () => {
    const login = { request: { resourceGroup: 'rg-evil' }, claims: { resourceId: vm('web', 'rg-evil') } };
    expect(decide({ ...withShared, ...login })).toBe('resource-group-bound');
  });
});

describe('A3: the machine proven by one claim, its place by the other', () => {
  test('the group of xms_mirid does not help xms_az_rid', () => {
    const claims = { resourceId: vm('web', 'rg-evil'), managedIdentityId: vm('web') };
    expect(decide({ ...withShared, claims })).toBe('token-proves-resource-group');
  });

  test('the name of xms_mirid does not help xms_az_rid', () => {
    const claims = { resourceId: vm('evil'), managedIdentityId: vm('web') };
    expect(decide({ ...withShared, claims })).toBe('token-proves-resource');
  });

  test('xms_mirid does not stand in for an xms_az_rid that cannot be read', () => {
    for (const resourceId of ['', `${vm('web')}/`, vm('web', 'rg/../rg')]) {
      const claims = { resourceId, managedIdentityId: vm('web') };
      expect(decide({ ...withShared, claims })).toBe('token-resource-readable');
    }
  });
});

describe('A5: resource ids that are more than they seem', () => {
  test.each(['#', '?', '?x=', '/..', '/../web', '%2f..', '%2e%2e', '\\..', ';', '\0', ' '])(
    '%j after the machine',
    (trick) => {
      const claims = { resourceId: `${vm('web')}${trick}` };
      expect(decide({ ...withShared, claims })).toMatch(/^token-/);
    },
  );
});

test('A7: an empty principal and a machine whose identity has no principal id', () => {
  const userAssigned = [{ id: userIdentity('x') }, { id: userIdentity('y'), principalId: '' }];
  for (const claims of [{ objectId: '' }, { objectId: '', resourceId: vm('web') }]) {
    for (const confirmed of [
      confirmedResource({ userAssigned }),
      confirmedResource({ userAssigned, systemPrincipalId: '' }),
    ]) {
      expect(decide({ role, claims, confirmed, users: [''] })).toBe('identity-attached');
    }
  }
});

test.each([
  {},
  { bound_service_principal_ids: ['*'] },
  { bound_group_ids: ['*'] },
  { bound_service_principal_ids: ['*'], bound_group_ids: ['*'], bound_locations: [] },
])('A8: the role %j lets nobody in', (unconstrained) => {
  const login = { ...withShared, claims: { resourceId: vm('web'), groups: ['*'] }, role: unconstrained };
  expect(decide(login)).toBe('role-constrained');
});

describe('A9: unverified names in metadata', () => {
  const request = { subscriptionId: OTHER_SUBSCRIPTION, resourceGroup: 'prod', vmName: 'database' };

  test.each<[string, Login]>([
    ['nothing', {}],
    ['a user-assigned identity', { claims: { managedIdentityId: userIdentity('shared') } }],
    ['something unreadable', { claims: { resourceId: 'x' } }],
  ])('none are copied when the token proves %s', (_, login) => {
    expect(verifiedMetadata(factsOf({ ...login, request }))).toEqual({});
  });

  test('those of the token are taken, and the machine only if the login named that one', () => {
    const facts = factsOf({ request, claims: { resourceId: vm('web', 'Dev') } });
    expect(verifiedMetadata(facts)).toEqual({ subscription_id: SUBSCRIPTION, resource_group_name: 'Dev' });
  });

  test('those of the token keep the spelling of the token', () => {
    const facts = factsOf({
      request: { resourceGroup: 'RG', vmName: 'WEB' },
      claims: { managedIdentityId: vm('Web', 'Rg') },
    });
    expect(verifiedMetadata(facts)).toEqual({
      subscription_id: SUBSCRIPTION,
      resource_group_name: 'Rg',
      vm_name: 'Web',
    });
  });

  test('what the token does not prove is taken from the cloud, in its spelling', () => {
    const facts = factsOf({ request: { vmName: 'WEB' }, confirmed: confirmedResource({ id: vm('Web', 'Rg') }) });
    expect(verifiedMetadata(facts)).toEqual({
      subscription_id: SUBSCRIPTION,
      resource_group_name: 'Rg',
      vm_name: 'Web',
    });
  });

  test('something else than a machine gives no vm_name', () => {
    const resourceId = vm('web').replace('Compute/virtualMachines', 'Web/sites');
    expect(verifiedMetadata(factsOf({ claims: { resourceId } }))).not.toHaveProperty('vm_name');
  });
});

test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])('A14: %s is a name like any other', (name) => {
  expect(decide({ role: { bound_group_ids: [OTHER_OBJECT] }, claims: { groups: [name] } })).toBe('group-bound');
  expect(decide({ role: { bound_service_principal_ids: [OTHER_OBJECT] }, claims: { objectId: name } })).toBe(
    'service-principal-bound',
  );
  const other = { role: { bound_resource_groups: ['other'] }, request: { resourceGroup: name } };
  expect(decide({ ...other, claims: { resourceId: vm('web', name) } })).toMatch(
    /^(resource-group-bound|token-resource-readable)$/,
  );
  expect(verifiedMetadata(factsOf({ request: { vmName: name }, claims: { resourceId: vm(name) } }))).toMatchObject({
    subscription_id: SUBSCRIPTION,
  });
});
