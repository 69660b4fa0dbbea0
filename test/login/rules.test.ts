import { describe, expect, test } from '@jest/globals';
import { enforce } from '../../src/login/rule.js';
import type { LoginRule, Verdict } from '../../src/login/rule.js';
import { CLOUD_RULES, SOURCE_RULES, TOKEN_RULES } from '../../src/login/rules.js';
import { refused } from '../support/refused.js';
import {
  AS_WORKLOAD,
  asResource,
  asScaleSet,
  confirmedResource,
  decide,
  OBJECT,
  scaleSet,
  userIdentity,
  vm,
} from './support.js';
import type { Login } from './support.js';

test('the rules stand in the order of the login rules', () => {
  expect(SOURCE_RULES.map(({ name }) => name)).toEqual(['source-address-bound', 'role-constrained']);
  expect(TOKEN_RULES.map(({ name }) => name)).toEqual([
    'service-principal-bound',
    'group-bound',
    'resource-named',
    'resource-id-agrees',
    'token-resource-readable',
    'token-proves-a-machine',
    'token-proves-resource',
    'token-proves-subscription',
    'token-proves-resource-group',
    'token-names-application',
    'subscription-bound',
    'resource-group-bound',
    'scale-set-bound',
  ]);
  expect(CLOUD_RULES.map(({ name }) => name)).toEqual([
    'group-confirmed',
    'resource-exists',
    'cloud-answers-for-the-resource',
    'orchestration-agrees',
    'identity-attached',
    'location-bound',
  ]);
});

test('every rule has a name of its own', () => {
  const names = [...SOURCE_RULES, ...TOKEN_RULES, ...CLOUD_RULES].map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
});

describe('enforce', () => {
  const asked: string[] = [];
  const rule = (name: string, verdict: Verdict): LoginRule<null> => ({
    name,
    check: () => {
      asked.push(name);
      return verdict;
    },
    show: () => {
      throw new Error('a login pays for no texts');
    },
  });

  test('stops at the first rule that refuses, and names it', () => {
    const denial = { sentence: 'a sentence' };
    const rules = [rule('one', 'passed'), rule('two', 'not needed'), rule('three', denial), rule('four', denial)];
    expect(() => enforce(rules, null)).toThrow(
      expect.objectContaining({ ...refused('login_denied', 'a sentence'), rule: 'three' }),
    );
    expect(asked).toEqual(['one', 'two', 'three']);
  });

  test('calls a malformed request by that name', () => {
    expect(() => enforce([rule('one', { sentence: 'a sentence', field: 'vm_name' })], null)).toThrow(
      expect.objectContaining({ ...refused('invalid_request', 'a sentence', 'vm_name'), rule: 'one' }),
    );
  });

  test('is content with rules that pass or are not needed', () => {
    expect(() => enforce([rule('one', 'passed'), rule('two', 'not needed')], null)).not.toThrow();
  });
});

describe('a login', () => {
  const everything = {
    token_bound_cidrs: ['10.0.0.0/8'],
    bound_service_principal_ids: [OBJECT],
    bound_group_ids: ['group'],
    bound_subscription_ids: ['11111111-1111-1111-1111-11111111111a'],
    bound_resource_groups: ['rg'],
    bound_locations: ['westeurope'],
  };
  const login = {
    role: everything,
    address: '10.0.0.1',
    claims: { groups: ['group'], resourceId: vm('web') },
    confirmed: confirmedResource({ systemPrincipalId: OBJECT }),
  };

  test('that meets every constraint is granted', () => {
    expect(decide(login)).toBe('granted');
  });

  test.each<[string, Login]>([
    ['source-address-bound', { address: '11.0.0.1' }],
    ['service-principal-bound', { role: { ...everything, bound_service_principal_ids: ['other'] } }],
    ['group-bound', { claims: { resourceId: vm('web') } }],
    ['resource-named', { request: { subscriptionId: '' } }],
    ['resource-id-agrees', { request: asResource(vm('web', 'other')) }],
    ['token-resource-readable', { claims: { groups: ['group'], resourceId: 'x' } }],
    [
      'token-proves-a-machine',
      {
        claims: { groups: ['group'], managedIdentityId: userIdentity('own') },
      },
    ],
    ['token-proves-resource', { request: { vmName: 'other' } }],
    ['token-proves-subscription', { request: { subscriptionId: '11111111-1111-1111-1111-11111111111b' } }],
    ['token-proves-resource-group', { request: { resourceGroup: 'other' } }],
    ['token-names-application', { request: AS_WORKLOAD }],
    ['subscription-bound', { role: { ...everything, bound_subscription_ids: ['other'] } }],
    ['resource-group-bound', { role: { ...everything, bound_resource_groups: ['other'] } }],
    ['scale-set-bound', { role: { ...everything, bound_scale_sets: ['set'] } }],
    ['group-confirmed', { claims: { ...login.claims, groups: [], groupOverage: true }, confirmedGroups: ['other'] }],
    [
      'cloud-answers-for-the-resource',
      { confirmed: confirmedResource({ id: vm('other'), systemPrincipalId: OBJECT }) },
    ],
    [
      'orchestration-agrees',
      {
        request: asScaleSet('web'),
        claims: { groups: ['group'], resourceId: vm('web_x1') },
        confirmed: confirmedResource({ id: scaleSet('web'), systemPrincipalId: OBJECT }),
        orchestration: 'uniform',
      },
    ],
    ['identity-attached', { confirmed: confirmedResource() }],
    ['location-bound', { role: { ...everything, bound_locations: ['eastus'] } }],
  ])('that fails nothing but %s is refused by it', (name, change) => {
    expect(decide({ ...login, ...change })).toBe(name);
  });

  test('of a machine that the cloud does not know is refused', () => {
    const { role, address, claims } = login;
    expect(decide({ role, address, claims })).toBe('resource-exists');
  });
});
