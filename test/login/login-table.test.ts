import { describe, expect, test } from '@jest/globals';
import type { IdentityClaims } from '../../src/contract/index.js';
import {
  APPLICATION,
  AS_WORKLOAD,
  asResource,
  asScaleSet,
  confirmedResource,
  decide,
  OBJECT,
  OTHER_OBJECT,
  OTHER_SUBSCRIPTION,
  resource,
  scaleSet,
  site,
  SUBSCRIPTION,
  userIdentity,
  vm,
} from './support.js';
import type { Login } from './support.js';

const role = { bound_resource_groups: ['rg'], bound_locations: ['westeurope'] };
const shared = { id: userIdentity('shared', 'ids'), principalId: OBJECT };
const ofShared = { managedIdentityId: shared.id };
const bySystem = { systemPrincipalId: OBJECT };
const byUser = { userAssigned: [shared] };
const byNobody = { systemPrincipalId: OTHER_OBJECT, userAssigned: [{ ...shared, principalId: OTHER_OBJECT }] };

/** One way to log in: what the token and the cloud say, and what comes of it. */
type Case = readonly [title: string, outcome: string, claims: Partial<IdentityClaims>, confirmed: object];

function row(
  title: string,
  named: Pick<Login, 'request' | 'orchestration'> & { readonly id: string },
  cases: Case[],
): void {
  const { id, ...login } = named;
  describe(title, () => {
    test.each<Case>(cases)('%s: %s', (_, outcome, claims, confirmed) => {
      expect(decide({ role, ...login, claims, confirmed: confirmedResource({ id, ...confirmed }) })).toBe(outcome);
    });
  });
}

row('vm_name', { id: vm('web') }, [
  ['its system identity, proven', 'granted', { resourceId: vm('web') }, bySystem],
  ['its system identity, proven by xms_mirid', 'granted', { managedIdentityId: vm('Web') }, bySystem],
  ['its system identity, without claims', 'granted', {}, bySystem],
  ['a user identity, proven', 'granted', { resourceId: vm('web'), ...ofShared }, byUser],
  ['a user identity, without claims', 'identity-attached', {}, byUser],
  ['a user identity that proves only itself', 'token-proves-a-machine', ofShared, byUser],
  ['an identity of another', 'identity-attached', { resourceId: vm('web') }, byNobody],
  ['elsewhere', 'location-bound', { resourceId: vm('web') }, { ...bySystem, location: 'eastus' }],
]);

row('vmss_name, uniform', { id: scaleSet('web'), request: asScaleSet('web'), orchestration: 'uniform' }, [
  ['its system identity, proven', 'granted', { resourceId: scaleSet('Web') }, bySystem],
  [
    'its system identity, proven by an instance',
    'granted',
    { resourceId: `${scaleSet('web')}/virtualMachines/0` },
    bySystem,
  ],
  ['its system identity, without claims', 'granted', {}, bySystem],
  ['a user identity, proven', 'granted', { resourceId: scaleSet('web'), ...ofShared }, byUser],
  ['a user identity, without claims', 'identity-attached', {}, byUser],
  ['a user identity that proves only itself', 'token-proves-a-machine', ofShared, byUser],
  ['a user identity of a machine named alike', 'orchestration-agrees', { resourceId: vm('web_x1') }, byUser],
  ['its system identity of a machine named alike', 'orchestration-agrees', { resourceId: vm('web_x1') }, bySystem],
  ['an identity of another', 'identity-attached', { resourceId: scaleSet('web') }, byNobody],
  ['elsewhere', 'location-bound', { resourceId: scaleSet('web') }, { ...bySystem, location: 'eastus' }],
]);

row('vmss_name, flexible', { id: scaleSet('web'), request: asScaleSet('web'), orchestration: 'flexible' }, [
  ['a user identity, proven by a machine', 'granted', { resourceId: vm('web_x1'), ...ofShared }, byUser],
  ['a user identity, proven by the scale set', 'granted', { resourceId: scaleSet('web') }, byUser],
  ['a user identity, proven by xms_mirid', 'granted', { managedIdentityId: vm('Web_X1') }, byUser],
  ['a user identity, without claims', 'identity-attached', {}, byUser],
  ['a user identity that proves only itself', 'token-proves-a-machine', ofShared, byUser],
  ['a machine of no scale set', 'token-proves-resource', { resourceId: vm('web') }, byUser],
  ['a machine of another scale set', 'token-proves-resource', { resourceId: vm('web_prod_x1') }, byUser],
  ['an identity of another', 'identity-attached', { resourceId: vm('web_x1') }, byNobody],
  ['elsewhere', 'location-bound', { resourceId: vm('web_x1') }, { ...byUser, location: 'eastus' }],
]);

row('resource_id of a web app', { id: site('web'), request: asResource(site('web')) }, [
  ['its system identity, proven', 'granted', { resourceId: site('Web') }, bySystem],
  ['its system identity, without claims', 'granted', {}, bySystem],
  ['a user identity, proven', 'granted', { resourceId: site('web'), ...ofShared }, byUser],
  ['a user identity that proves only itself', 'granted', ofShared, byUser],
  ['a user identity, without claims', 'granted', {}, byUser],
  [
    'a user identity that proves to be another',
    'identity-attached',
    { managedIdentityId: userIdentity('other', 'ids') },
    byUser,
  ],
  ['a user identity of a machine', 'token-proves-resource', { resourceId: vm('web'), ...ofShared }, byUser],
  ['a user identity of another app', 'token-proves-resource', { resourceId: site('other'), ...ofShared }, byUser],
  ['an identity of another', 'identity-attached', {}, byNobody],
  ['elsewhere', 'location-bound', {}, { ...byUser, location: 'eastus' }],
]);

describe('resource_id of a machine is no way around the rules of machines', () => {
  test.each([
    vm('web'),
    vm('WEB').replace('Microsoft.Compute/virtualMachines', 'microsoft.compute/VIRTUALMACHINES'),
    scaleSet('web'),
    `${scaleSet('web')}/virtualMachines/0`,
    `${vm('web')}/extensions/x`,
  ])('%s', (id) => {
    const login = { role, request: asResource(id), confirmed: confirmedResource({ id, ...byUser }) };
    expect(decide({ ...login, claims: {} })).toBe('identity-attached');
    expect(decide({ ...login, claims: ofShared })).toBe('token-proves-a-machine');
    expect(decide({ ...login, claims: { resourceId: vm('evil'), ...ofShared } })).toBe('token-proves-resource');
    expect(decide({ ...login, claims: { resourceId: id, ...ofShared } })).toBe('granted');
    expect(decide({ ...login, confirmed: confirmedResource({ id, ...bySystem }) })).toBe('granted');
  });
});

test.each([
  'Microsoft.Web/sites',
  'Microsoft.ContainerInstance/containerGroups',
  'Microsoft.HybridCompute/machines',
  'Microsoft.Logic/workflows',
  'Microsoft.App/containerApps',
])('resource_id may be of the type %s', (type) => {
  const id = resource(type, 'thing');
  const login = { role, request: asResource(id), claims: ofShared, confirmed: confirmedResource({ id, ...byUser }) };
  expect(decide(login)).toBe('granted');
});

describe('none of the three: a workload', () => {
  const own = userIdentity('own');
  const confirmed = confirmedResource({ id: own, userAssigned: [{ id: own, principalId: OBJECT }] });
  const unknown: Login = { role, request: AS_WORKLOAD, claims: { applicationId: APPLICATION } };
  const login: Login = { ...unknown, confirmed };
  const unnamed = { ...AS_WORKLOAD, subscriptionId: '', resourceGroup: '' };
  const bySubscription = { bound_subscription_ids: [SUBSCRIPTION] };

  test.each<[string, string, Partial<Login>]>([
    ['in the bound group', 'granted', {}],
    ['in one of the bound groups', 'granted', { role: { ...role, bound_resource_groups: ['other', 'RG'] } }],
    ['in the named group, where none is bound', 'granted', { role: bySubscription }],
    [
      'in the bound group of the bound subscription, naming neither',
      'granted',
      { role: { ...role, ...bySubscription }, request: unnamed },
    ],
    [
      'on a machine, whatever machine',
      'granted',
      { claims: { applicationId: APPLICATION, resourceId: vm('any', 'x') } },
    ],
    [
      'proving its identity',
      'granted',
      {
        claims: {
          applicationId: APPLICATION,
          managedIdentityId: own.toUpperCase().replace(SUBSCRIPTION.toUpperCase(), SUBSCRIPTION),
        },
      },
    ],
    [
      'proving another identity',
      'identity-attached',
      { claims: { applicationId: APPLICATION, managedIdentityId: userIdentity('other') } },
    ],
    ['without application', 'token-names-application', { claims: {} }],
    [
      'in a group that is not bound (A6)',
      'resource-group-bound',
      { request: { ...AS_WORKLOAD, resourceGroup: 'other' } },
    ],
    [
      'in a subscription that is not bound',
      'subscription-bound',
      { role: bySubscription, request: { ...AS_WORKLOAD, subscriptionId: OTHER_SUBSCRIPTION } },
    ],
    ['naming no subscription, none being bound', 'resource-named', { request: unnamed }],
    ['naming no group, none being bound', 'resource-named', { role: bySubscription, request: unnamed }],
    ['in a bound scale set', 'scale-set-bound', { role: { ...role, bound_scale_sets: ['own'] } }],
    ['elsewhere', 'location-bound', { confirmed: { ...confirmed, location: 'eastus' } }],
  ])('%s: %s', (_, outcome, change) => {
    expect(decide({ ...login, ...change })).toBe(outcome);
  });

  test('that has no identity in the cloud is refused', () => {
    expect(decide(unknown)).toBe('resource-exists');
  });
});
