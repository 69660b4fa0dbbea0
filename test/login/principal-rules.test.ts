import { describe, expect, test } from '@jest/globals';
import { hasResourceConstraints, isConstrained, needsDirectory } from '../../src/login/principal-rules.js';
import { constraintsOf } from '../../src/paths/role-record.js';
import { ask, factsOf, OBJECT, OTHER_OBJECT, refusal } from './support.js';
import type { Login, Row } from './support.js';

describe('source-address-bound', () => {
  const role = { token_bound_cidrs: ['10.0.0.0/8', '2001:db8::/32'] };
  const refused = (seen: string) =>
    refusal('the source address is not in token_bound_cidrs of the role', seen, 'an address in token_bound_cidrs');

  test.each<Row>([
    ['no blocks', { address: '10.0.0.1' }, 'not needed'],
    ['no blocks and no address', {}, 'not needed'],
    ['an empty list of blocks', { role: { token_bound_cidrs: [] } }, 'not needed'],
    ['an address inside', { role, address: '10.1.2.3' }, 'passed'],
    ['an IPv6 address inside', { role, address: '2001:db8::7' }, 'passed'],
    ['an IPv4 address in IPv6 clothes', { role, address: '::ffff:10.1.2.3' }, 'passed'],
    ['an address outside', { role, address: '11.0.0.1' }, refused('11.0.0.1')],
    ['an unknown address', { role }, refused('no known address')],
    ['an empty address', { role, address: '' }, refused('')],
    ['text that is no address', { role, address: '10.1.2.3, 11.0.0.1' }, refused('10.1.2.3, 11.0.0.1')],
    ['everywhere in IPv6', { role: { token_bound_cidrs: ['::/0'] }, address: '10.1.2.3' }, refused('10.1.2.3')],
  ])('%s', (_, login, verdict) => {
    expect(ask('source-address-bound', login)).toEqual(verdict);
  });
});

describe('role-constrained', () => {
  const refused = refusal(
    'the role has no constraint, so nobody can log in with it',
    'only empty lists and "*"',
    'at least one bound_* list with a value',
  );

  test.each<Row>([
    ['no list (A8)', {}, refused],
    ['empty lists (A8)', { role: { bound_group_ids: [], bound_locations: [] } }, refused],
    ['a lone * of principals (A8)', { role: { bound_service_principal_ids: ['*'] } }, refused],
    ['a lone * of groups (A8)', { role: { bound_group_ids: ['*'] } }, refused],
    ['a lone * of both (A8)', { role: { bound_service_principal_ids: ['*'], bound_group_ids: ['*'] } }, refused],
    ['only addresses (A8)', { role: { token_bound_cidrs: ['10.0.0.0/8'] } }, refused],
    ['a principal', { role: { bound_service_principal_ids: [OBJECT] } }, 'passed'],
    ['a group', { role: { bound_group_ids: [OBJECT] } }, 'passed'],
    ['a subscription', { role: { bound_subscription_ids: [OBJECT] } }, 'passed'],
    ['a resource group', { role: { bound_resource_groups: ['rg'] } }, 'passed'],
    ['a location', { role: { bound_locations: ['westeurope'] } }, 'passed'],
    ['a scale set', { role: { bound_scale_sets: ['set'] } }, 'passed'],
    ['a * beside a value', { role: { bound_service_principal_ids: ['*'], bound_locations: ['westeurope'] } }, 'passed'],
  ])('%s', (_, login, verdict) => {
    expect(ask('role-constrained', login)).toEqual(verdict);
    expect(isConstrained(factsOf(login).role)).toBe(verdict === 'passed');
  });
});

describe('service-principal-bound', () => {
  const refused = (seen: string, wanted: string) =>
    refusal('the service principal is not in bound_service_principal_ids of the role', seen, wanted);

  test.each<Row>([
    ['no list', {}, 'not needed'],
    ['a lone *', { role: { bound_service_principal_ids: ['*'] } }, 'not needed'],
    ['the principal', { role: { bound_service_principal_ids: [OTHER_OBJECT, OBJECT] } }, 'passed'],
    ['the principal in capitals', { role: { bound_service_principal_ids: [OBJECT.toUpperCase()] } }, 'passed'],
    ['another one', { role: { bound_service_principal_ids: [OTHER_OBJECT] } }, refused(OBJECT, OTHER_OBJECT)],
    [
      'a beginning of it',
      { role: { bound_service_principal_ids: [OBJECT.slice(0, -1)] } },
      refused(OBJECT, OBJECT.slice(0, -1)),
    ],
    [
      'a stored * beside another one does not mean any',
      { role: { bound_service_principal_ids: ['*', OTHER_OBJECT] } },
      refused(OBJECT, `*, ${OTHER_OBJECT}`),
    ],
    [
      'a principal called * is no wildcard',
      { role: { bound_service_principal_ids: [OTHER_OBJECT] }, claims: { objectId: '*' } },
      refused('*', OTHER_OBJECT),
    ],
    [
      'an empty principal is in no list (A7)',
      { role: { bound_service_principal_ids: [''] }, claims: { objectId: '' } },
      refused('', ''),
    ],
    [
      'the principal as a group does not count',
      { role: { bound_service_principal_ids: [OTHER_OBJECT] }, claims: { groups: [OTHER_OBJECT] } },
      refused(OBJECT, OTHER_OBJECT),
    ],
  ])('%s', (_, login, verdict) => {
    expect(ask('service-principal-bound', login)).toEqual(verdict);
  });
});

const notInGroup = (seen: string, wanted: string) =>
  refusal('the principal is in no group of bound_group_ids of the role', seen, wanted);

describe('group-bound', () => {
  const role = { bound_group_ids: ['G1', 'g2'] };
  const refused = (seen: string) => notInGroup(seen, 'g1, g2');

  test.each<Row>([
    ['no list', { claims: { groups: ['g1'] } }, 'not needed'],
    ['a lone *', { role: { bound_group_ids: ['*'] } }, 'not needed'],
    ['one of the groups', { role, claims: { groups: ['g0', 'g1'] } }, 'passed'],
    ['one of the groups in capitals', { role, claims: { groups: ['G2'] } }, 'passed'],
    ['other groups', { role, claims: { groups: ['g0', 'g3'] } }, refused('g0, g3')],
    ['a group called *', { role, claims: { groups: ['*'] } }, refused('*')],
    ['no groups', { role, claims: { groups: [] } }, refused('')],
    ['no groups claim', { role }, refused('')],
    ['the principal itself', { role, claims: { objectId: 'g1' } }, refused('')],
    ['an empty group is in no list', { role: { bound_group_ids: [''] }, claims: { groups: [''] } }, notInGroup('', '')],
    ['groups that are too many to list: the directory knows', { role, claims: { groupOverage: true } }, 'not needed'],
    [
      'other groups listed in spite of overage: the directory knows',
      { role, claims: { groups: ['g0'], groupOverage: true } },
      'not needed',
    ],
    [
      'one of the groups listed in spite of overage',
      { role, claims: { groups: ['g1'], groupOverage: true } },
      'passed',
    ],
  ])('%s', (_, login, verdict) => {
    expect(ask('group-bound', login)).toEqual(verdict);
  });
});

describe('group-confirmed', () => {
  const role = { bound_group_ids: ['G1', 'g2'] };
  const claims = { groupOverage: true };
  const refused = (seen: string) => notInGroup(seen, 'g1, g2');

  test.each<Row>([
    ['no list', { claims, confirmedGroups: ['g1'] }, 'not needed'],
    ['a lone *', { role: { bound_group_ids: ['*'] }, claims }, 'not needed'],
    ['a token that lists one of the groups', { role, claims: { ...claims, groups: ['g1'] } }, 'not needed'],
    ['one of the groups', { role, claims, confirmedGroups: ['g0', 'G2'] }, 'passed'],
    ['other groups', { role, claims, confirmedGroups: ['g0', 'g'] }, refused('g0, g')],
    ['no groups', { role, claims, confirmedGroups: [] }, refused('')],
    ['no answer', { role, claims }, refused('')],
    ['a group called *', { role, claims, confirmedGroups: ['*'] }, refused('*')],
    [
      'an empty group is in no list',
      { role: { bound_group_ids: [''] }, claims, confirmedGroups: [''] },
      notInGroup('', ''),
    ],
    [
      'a stored * beside another one does not mean any',
      { role: { bound_group_ids: ['*', 'g1'] }, claims, confirmedGroups: ['g0'] },
      notInGroup('g0', '*, g1'),
    ],
  ])('%s', (_, login, verdict) => {
    expect(ask('group-confirmed', login)).toEqual(verdict);
  });
});

describe('the directory is asked', () => {
  const role = { bound_group_ids: ['g1'] };

  test.each<[string, Login, boolean]>([
    ['when the token has too many groups to list', { role, claims: { groupOverage: true } }, true],
    ['not when the token lists one that serves', { role, claims: { groupOverage: true, groups: ['g1'] } }, false],
    ['not when the token lists all', { role, claims: { groups: ['g0'] } }, false],
    ['not when the token has none', { role }, false],
    ['not when no group is bound', { claims: { groupOverage: true } }, false],
    ['not when any group will do', { role: { bound_group_ids: ['*'] }, claims: { groupOverage: true } }, false],
  ])('%s', (_, login, asked) => {
    expect(needsDirectory(factsOf(login))).toBe(asked);
  });
});

test.each([
  ['bound_service_principal_ids', false],
  ['bound_group_ids', false],
  ['bound_subscription_ids', true],
  ['bound_resource_groups', true],
  ['bound_locations', true],
  ['bound_scale_sets', true],
])('%s asks where a login comes from: %p', (field, asks) => {
  expect(hasResourceConstraints(constraintsOf({ [field]: ['x'] }))).toBe(asks);
});
