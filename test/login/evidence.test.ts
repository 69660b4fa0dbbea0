import { describe, expect, test } from '@jest/globals';
import { CLOUD_RULES, SOURCE_RULES, TOKEN_RULES } from '../../src/login/rules.js';
import {
  APPLICATION,
  AS_WORKLOAD,
  asResource,
  asScaleSet,
  confirmedResource,
  factsOf,
  OBJECT,
  OTHER_OBJECT,
  ruleOf,
  scaleSet,
  site,
  SUBSCRIPTION,
  userIdentity,
  vm,
} from './support.js';
import type { Login } from './support.js';

const bySubscription = { bound_subscription_ids: [SUBSCRIPTION] };
const fromWeb = { resourceId: vm('WEB') };
const byMachine = { role: bySubscription, claims: fromWeb, confirmed: confirmedResource() };
const flexible: Login = {
  role: bySubscription,
  request: asScaleSet('web'),
  claims: { resourceId: vm('web_x1') },
  confirmed: confirmedResource({ id: scaleSet('web') }),
  orchestration: 'flexible',
};
const own = { id: userIdentity('own'), principalId: OBJECT };
const workload: Login = {
  role: bySubscription,
  request: { ...AS_WORKLOAD, subscriptionId: '' },
  claims: { applicationId: APPLICATION },
  confirmed: confirmedResource({ id: own.id, userAssigned: [own] }),
};

type Shown = readonly [rule: string, login: Login, seen: string, wanted: string];

describe('a rule that passes shows what it held against each other', () => {
  const principals = [OBJECT, OTHER_OBJECT];
  const groups = { bound_group_ids: ['G1', 'g2'] };
  const overage = { groupOverage: true };
  const cidrs = { token_bound_cidrs: ['10.0.0.0/8'] };

  test.each<Shown>([
    ['source-address-bound', { role: cidrs, address: '10.1.2.3' }, '10.1.2.3', 'an address in token_bound_cidrs'],
    [
      'role-constrained',
      { role: { ...bySubscription, ...groups, bound_locations: [] } },
      'bound_group_ids, bound_subscription_ids',
      'at least one bound_* list with a value',
    ],
    ['service-principal-bound', { role: { bound_service_principal_ids: principals } }, OBJECT, principals.join(', ')],
    ['group-bound', { role: groups, claims: { groups: ['g0', 'g1'] } }, 'g1', 'g1, g2'],
    [
      'resource-named',
      byMachine,
      'subscription_id, resource_group_name, vm_name',
      'subscription_id and resource_group_name',
    ],
    [
      'resource-named',
      workload,
      'resource_group_name',
      'subscription_id and resource_group_name, or a role that binds at most 50 groups',
    ],
    [
      'resource-id-agrees',
      { role: bySubscription, request: asResource(site('web', 'RG')) },
      site('web', 'RG'),
      `${SUBSCRIPTION}, rg`,
    ],
    ['token-resource-readable', byMachine, vm('WEB'), 'a resource id'],
    [
      'token-resource-readable',
      { role: bySubscription, claims: { managedIdentityId: vm('Web') } },
      vm('Web'),
      'a resource id',
    ],
    ['token-proves-resource', byMachine, vm('WEB'), vm('web')],
    ['token-proves-subscription', byMachine, SUBSCRIPTION, SUBSCRIPTION],
    ['token-proves-resource-group', byMachine, 'rg', 'rg'],
    ['token-names-application', workload, APPLICATION, 'appid or azp'],
    ['subscription-bound', byMachine, SUBSCRIPTION, SUBSCRIPTION],
    ['resource-group-bound', { role: { bound_resource_groups: ['other', 'RG'] } }, 'rg', 'other, rg'],
    ['scale-set-bound', { role: { bound_scale_sets: ['Web'] }, request: asScaleSet('web') }, 'web', 'web'],
    ['group-confirmed', { role: groups, claims: overage, confirmedGroups: ['g0', 'G2'] }, 'G2', 'g1, g2'],
    ['resource-exists', byMachine, vm('web'), vm('web')],
    ['resource-exists', workload, own.id, `an identity with the client id ${APPLICATION}`],
    ['cloud-answers-for-the-resource', byMachine, vm('web'), vm('web')],
    ['cloud-answers-for-the-resource', workload, own.id, 'a user-assigned identity in a bound resource group'],
    ['orchestration-agrees', flexible, 'flexible', 'flexible, as the token comes from a virtual machine'],
    [
      'identity-attached',
      {
        ...byMachine,
        confirmed: confirmedResource({ systemPrincipalId: OTHER_OBJECT, userAssigned: [own, { id: vm('x') }] }),
      },
      OBJECT,
      `${OTHER_OBJECT}, ${OBJECT}`,
    ],
    [
      'location-bound',
      { role: { bound_locations: ['West Europe'] }, confirmed: confirmedResource({ location: 'WestEurope' }) },
      'WestEurope',
      'westeurope',
    ],
  ])('%s', (name, login, seen, wanted) => {
    const { check, show } = ruleOf(name);
    const facts = factsOf(login);
    expect(check(facts)).toBe('passed');
    expect(show(facts)).toEqual({ seen, wanted });
  });
});

test('an identity that proves nothing about the machine is not among those wanted', () => {
  const confirmed = confirmedResource({ systemPrincipalId: OTHER_OBJECT, userAssigned: [own] });
  const facts = factsOf({ role: bySubscription, confirmed });
  expect(ruleOf('identity-attached').show(facts)).toEqual({ seen: OBJECT, wanted: OTHER_OBJECT });
});

test('no rule fails to show something, whatever the login', () => {
  const logins: Login[] = [{}, byMachine, flexible, workload, { request: asResource(site('web')) }];
  for (const facts of logins.map(factsOf)) {
    for (const { show } of [...SOURCE_RULES, ...TOKEN_RULES, ...CLOUD_RULES]) {
      expect(show(facts)).toEqual({ seen: expect.any(String) as unknown, wanted: expect.any(String) as unknown });
    }
  }
});
