import { describe, expect, test } from '@jest/globals';
import type { LoginRequest, NamedResource } from '../../src/login/facts.js';
import { isMachine, namedResource, workloadPlaces } from '../../src/login/named-resource.js';
import { formatResourceId } from '../../src/login/resource-id.js';
import type { Verdict } from '../../src/login/rule.js';
import {
  ask,
  AS_WORKLOAD,
  asResource,
  asScaleSet,
  factsOf,
  OTHER_SUBSCRIPTION,
  refusal,
  resource,
  ruleOf,
  scaleSet,
  site,
  SUBSCRIPTION,
  userIdentity,
  vm,
} from './support.js';
import type { Login, Row } from './support.js';

const role = { bound_locations: ['westeurope'] };
const nowhere = { subscriptionId: '', resourceGroup: '' };

function named(request: Partial<LoginRequest>): NamedResource {
  return namedResource(factsOf({ request }).request);
}

describe('what a request names', () => {
  test.each<[string, Partial<LoginRequest>, string, string, string]>([
    ['vmss_name alone', asScaleSet('set'), 'scale set', 'vmss_name', scaleSet('set')],
    ['vmss_name beside vm_name', { scaleSetName: 'set' }, 'scale set', 'vmss_name', scaleSet('set')],
    [
      'vmss_name beside resource_id',
      { ...asResource(site('app')), scaleSetName: 'set' },
      'scale set',
      'vmss_name',
      scaleSet('set'),
    ],
    ['vm_name alone', {}, 'virtual machine', 'vm_name', vm('web')],
    [
      'vm_name beside resource_id',
      { ...asResource(site('app', 'x')), vmName: 'web' },
      'virtual machine',
      'vm_name',
      vm('web'),
    ],
    ['resource_id alone', asResource(site('app', 'x')), 'resource', 'resource_id', site('app', 'x')],
    ['the resource_id of a machine', asResource(vm('app')), 'resource', 'resource_id', vm('app')],
  ])('is what %s says', (_, request, kind, field, id) => {
    const it = named(request);
    expect(it).toMatchObject({ kind, field });
    expect(it.kind === 'workload' ? '' : formatResourceId(it.id)).toBe(id);
  });

  test('is a workload when none of the three is given', () => {
    expect(named(AS_WORKLOAD)).toEqual({ kind: 'workload' });
  });
});

test.each([
  [vm('web'), true],
  [vm('web').toLowerCase(), true],
  [scaleSet('web'), true],
  [`${scaleSet('web')}/virtualMachines/0`, true],
  [`${vm('web')}/extensions/x`, true],
  [site('web'), false],
  [resource('Microsoft.Compute/disks', 'web'), false],
  [resource('Microsoft.HybridCompute/machines', 'web'), false],
  [resource('Microsoft.ComputeX/virtualMachines', 'web'), false],
  [resource('Microsoft.Compute/virtualMachinesX', 'web'), false],
  [userIdentity('web'), false],
])('%s is a machine: %p', (id, expected) => {
  expect(isMachine(named(asResource(id)))).toBe(expected);
});

test('vm_name and vmss_name name machines, a workload does not', () => {
  expect([named({}), named(asScaleSet('set')), named(AS_WORKLOAD)].map(isMachine)).toEqual([true, true, false]);
});

describe('the places of a workload', () => {
  const places = (bound: object, request: Partial<LoginRequest>): string[] =>
    workloadPlaces(factsOf({ role: bound }).role, factsOf({ request: { ...AS_WORKLOAD, ...request } }).request).map(
      ({ subscriptionId, resourceGroup }) => `${subscriptionId}/${resourceGroup}`,
    );
  const both = {
    bound_subscription_ids: [OTHER_SUBSCRIPTION.toUpperCase(), SUBSCRIPTION],
    bound_resource_groups: ['A', 'b'],
  };

  test.each<[string, object, Partial<LoginRequest>, string[]]>([
    ['those named', {}, {}, [`${SUBSCRIPTION}/rg`]],
    ['those named, not those bound', both, {}, [`${SUBSCRIPTION}/rg`]],
    [
      'the bound groups of the named subscription',
      both,
      { resourceGroup: '' },
      ['a', 'b'].map((g) => `${SUBSCRIPTION}/${g}`),
    ],
    [
      'the named group of the bound subscriptions',
      both,
      { subscriptionId: '' },
      [`${OTHER_SUBSCRIPTION}/rg`, `${SUBSCRIPTION}/rg`],
    ],
    [
      'every bound group of every bound subscription',
      both,
      nowhere,
      [OTHER_SUBSCRIPTION, SUBSCRIPTION].flatMap((id) => [`${id}/a`, `${id}/b`]),
    ],
    ['none when nothing is named or bound', {}, nowhere, []],
  ])('are %s', (_, bound, request, expected) => {
    expect(places(bound, request)).toEqual(expected);
  });
});

const missing = (field: string, why = 'by the constraints of the role'): Verdict => ({
  sentence: `${field}: is required ${why}`,
  field,
});
const tooMany = (field: string): Verdict => missing(field, 'because the role binds more than 50 resource groups');
const groups = (count: number): string[] => Array.from({ length: count }, (_, index) => `rg-${index}`);
const subscriptions = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => SUBSCRIPTION.replace(/..$/, String(index).padStart(2, '0')));

describe('resource-named', () => {
  const bySubscription = { bound_subscription_ids: [SUBSCRIPTION] };
  const byGroup = { bound_resource_groups: ['rg'] };

  test.each<[string, Login, Verdict]>([
    ['no resource constraints', { request: { ...nowhere, vmName: '' } }, 'not needed'],
    ['only principals bound', { role: { bound_group_ids: ['g'] }, request: { vmName: '' } }, 'not needed'],
    ['a machine', { role }, 'passed'],
    ['a scale set', { role, request: asScaleSet('set') }, 'passed'],
    ['any resource', { role, request: asResource(site('app')) }, 'passed'],
    [
      'a resource id beside the machine is ignored',
      { role, request: { ...asResource(vm('x', 'y')), vmName: 'web' } },
      'passed',
    ],
    ...[{}, asScaleSet('set'), asResource(site('app'))].flatMap((request): [string, Login, Verdict][] => [
      [
        `no subscription for ${named(request).kind}`,
        { role: { ...bySubscription, ...byGroup }, request: { ...request, subscriptionId: '' } },
        missing('subscription_id'),
      ],
      [
        `no resource group for ${named(request).kind}`,
        { role: { ...bySubscription, ...byGroup }, request: { ...request, resourceGroup: '' } },
        missing('resource_group_name'),
      ],
    ]),
    ['a workload that names both', { role, request: AS_WORKLOAD }, 'passed'],
    [
      'a workload without subscription',
      { role: byGroup, request: { ...AS_WORKLOAD, ...nowhere } },
      missing('subscription_id'),
    ],
    [
      'a workload without group',
      { role: bySubscription, request: { ...AS_WORKLOAD, ...nowhere } },
      missing('resource_group_name'),
    ],
    [
      'a workload with both bound',
      { role: { ...byGroup, ...bySubscription }, request: { ...AS_WORKLOAD, ...nowhere } },
      'passed',
    ],
    [
      '50 places',
      { role: { ...bySubscription, bound_resource_groups: groups(50) }, request: { ...AS_WORKLOAD, ...nowhere } },
      'passed',
    ],
    [
      '51 groups',
      { role: { ...bySubscription, bound_resource_groups: groups(51) }, request: { ...AS_WORKLOAD, ...nowhere } },
      tooMany('resource_group_name'),
    ],
    [
      '51 groups, the subscription named',
      { role: { bound_resource_groups: groups(51) }, request: { ...AS_WORKLOAD, resourceGroup: '' } },
      tooMany('resource_group_name'),
    ],
    ['51 groups, one of them named', { role: { bound_resource_groups: groups(51) }, request: AS_WORKLOAD }, 'passed'],
    [
      '51 subscriptions, which naming the group does not mend',
      {
        role: { bound_subscription_ids: subscriptions(51), bound_resource_groups: ['rg'] },
        request: { ...AS_WORKLOAD, ...nowhere },
      },
      tooMany('subscription_id'),
    ],
    [
      '51 subscriptions, the group named',
      { role: { bound_subscription_ids: subscriptions(51) }, request: { ...AS_WORKLOAD, subscriptionId: '' } },
      tooMany('subscription_id'),
    ],
    [
      '8 subscriptions of 7 groups',
      {
        role: { bound_subscription_ids: subscriptions(8), bound_resource_groups: groups(7) },
        request: { ...AS_WORKLOAD, ...nowhere },
      },
      tooMany('subscription_id'),
    ],
    ['51 groups mean nothing to a machine', { role: { bound_resource_groups: groups(51) } }, 'passed'],
  ])('%s', (_, login, verdict) => {
    expect(ruleOf('resource-named').check(factsOf(login))).toEqual(verdict);
  });
});

describe('resource-id-agrees (A4)', () => {
  const disagrees = (id: string): Row => [
    id,
    { role, request: asResource(id) },
    refusal(
      'resource_id is not in the subscription and resource group that the request names',
      id,
      `${SUBSCRIPTION}, rg`,
    ),
  ];

  test.each<Row>([
    ['no resource constraints', { request: asResource(site('web', 'other')) }, 'not needed'],
    [
      'a resource id that is ignored',
      { role, request: { ...asResource(site('web', 'other')), vmName: 'web' } },
      'not needed',
    ],
    ['a scale set', { role, request: asScaleSet('web') }, 'not needed'],
    ['a workload', { role, request: AS_WORKLOAD }, 'not needed'],
    ['the same place', { role, request: asResource(site('web')) }, 'passed'],
    [
      'the same place in capitals',
      { role, request: asResource(site('web', 'RG', SUBSCRIPTION.toUpperCase())) },
      'passed',
    ],
    disagrees(site('web', 'rg-2')),
    disagrees(site('web', 'r')),
    disagrees(site('web', 'rg', OTHER_SUBSCRIPTION)),
    disagrees(site('rg', 'web')),
  ])('%s', (_, login, verdict) => {
    expect(ask('resource-id-agrees', login)).toEqual(verdict);
  });
});
