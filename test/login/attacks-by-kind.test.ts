import { describe, expect, test } from '@jest/globals';
import type { ConfirmedResource, IdentityClaims, Orchestration } from '../../src/contract/index.js';
import { parseResourceId } from '../../src/login/resource-id.js';
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
  scaleSet,
  site,
  SUBSCRIPTION,
  userIdentity,
  vm,
} from './support.js';
import type { Login } from './support.js';

const role = { bound_resource_groups: ['rg'] };
const shared = { id: userIdentity('shared'), principalId: OBJECT };

/** A login of a scale set that exists, with the caller's own identity attached: nothing but the proof can refuse it. */
function asSet(name: string, orchestration?: Orchestration, claims: Partial<IdentityClaims> = {}): Login {
  const confirmed = confirmedResource({ id: scaleSet(name), userAssigned: [shared] });
  return { role, request: asScaleSet(name), claims, confirmed, ...(orchestration !== undefined && { orchestration }) };
}

/** A login of a web app that exists, with the caller's own identity attached. */
function asSite(id: string, claims: Partial<IdentityClaims> = {}): Login {
  return { role, request: asResource(id), claims, confirmed: confirmedResource({ id, userAssigned: [shared] }) };
}

describe('A1: another scale set that shares the user-assigned identity', () => {
  test.each<Orchestration>(['uniform', 'flexible'])('%s', (orchestration) => {
    for (const resourceId of [scaleSet('evil'), `${scaleSet('evil')}/virtualMachines/web`, vm('evil_x1'), vm('web')]) {
      expect(decide(asSet('web', orchestration, { resourceId, managedIdentityId: shared.id }))).toBe(
        'token-proves-resource',
      );
    }
    expect(decide(asSet('web', orchestration, { managedIdentityId: shared.id }))).toBe('token-proves-a-machine');
    expect(decide(asSet('web', orchestration))).toBe('identity-attached');
  });
});

describe('A2: names that contain one another', () => {
  test.each([
    ['web', 'web_prod_x1'],
    ['web', 'web_'],
    ['web', 'web2_x1'],
    ['web', 'web-2_x1'],
    ['web', 'my-web_x1'],
    ['web', 'web'],
    ['web', 'webx1'],
    ['web', 'web_x1_'],
    ['web', 'web__x1'],
    ['web', 'web_x1.evil'],
    ['web_prod', 'web_x1'],
    ['web_x1', 'web_x1'],
    ['k', '\u212a_x1'],
    ['web', 'we\u200bb_x1'],
    ['web', 'web\uff3fx1'],
  ])('the flexible scale set %s with the token of the machine %s', (name, machine) => {
    expect(decide(asSet(name, 'flexible', { resourceId: vm(machine) }))).toMatch(
      /^token-(proves-resource|resource-readable)$/,
    );
  });

  test.each([vm('web_x1', 'rg-evil'), scaleSet('web', 'rg-evil'), scaleSet('web', 'r')])(
    'the scale set of another group: %s',
    (resourceId) => {
      expect(decide(asSet('web', 'flexible', { resourceId }))).toBe('token-proves-resource-group');
    },
  );

  test('a uniform scale set with a token shaped like that of a machine of its own', () => {
    expect(decide(asSet('web', 'uniform', { resourceId: vm('web_x1') }))).toBe('orchestration-agrees');
    expect(decide({ ...asSet('web', 'flexible', { resourceId: vm('web_x1') }) })).toBe('granted');
  });

  test('an orchestration that the cloud does not tell does not count as flexible', () => {
    expect(decide(asSet('web', undefined, { resourceId: vm('web_x1') }))).toBe('orchestration-agrees');
  });

  test.each([
    [site('web'), site('web-2')],
    [site('web-2'), site('web')],
    [site('web'), `${site('web')}/slots/web`],
    [`${site('web')}/slots/blue`, site('web')],
    [`${site('web')}/slots/blue`, `${site('evil')}/slots/blue`],
    [`${site('web')}/slots/blue`, `${site('web')}/slots/blue2`],
    [site('web'), site('web').replace('Microsoft.Web', 'Microsoft.Web.Evil')],
    [site('web'), site('web').replace('/sites/', '/sites2/')],
  ])('the resource %s with the token of %s', (named, resourceId) => {
    expect(decide(asSite(named, { resourceId }))).toBe('token-proves-resource');
  });

  test('bound_scale_sets that the named scale set begins with, or the other way round', () => {
    for (const bound of ['web2', 'we', 'web_x1', '*', 'web*']) {
      const login = asSet('web', 'flexible', { resourceId: vm('web_x1') });
      expect(decide({ ...login, role: { bound_scale_sets: [bound] } })).toBe('scale-set-bound');
    }
  });
});

describe('A3: the resource proven by one claim, its place by the other', () => {
  test.each<[string, Partial<IdentityClaims>]>([
    ['token-proves-resource-group', { resourceId: vm('web_x1', 'rg-evil'), managedIdentityId: scaleSet('web') }],
    ['token-proves-resource', { resourceId: vm('evil_x1'), managedIdentityId: scaleSet('web') }],
    [
      'token-resource-readable',
      { resourceId: `${scaleSet('web')}/virtualMachines`, managedIdentityId: scaleSet('web') },
    ],
  ])('%s', (rule, claims) => {
    expect(decide(asSet('web', 'flexible', claims))).toBe(rule);
  });
});

describe('A4: a resource_id elsewhere than the fields beside it say', () => {
  test.each([
    site('web', 'rg-evil'),
    site('web', 'rg', OTHER_SUBSCRIPTION),
    vm('web', 'rg-evil'),
    userIdentity('rg', 'web'),
  ])('%s', (id) => {
    for (const resourceId of [id, site('web')]) expect(decide(asSite(id, { resourceId }))).toBe('resource-id-agrees');
    expect(decide(asSite(id))).toBe('resource-id-agrees');
  });

  test('fields that follow the resource_id out of what is bound', () => {
    const login = asSite(site('web', 'rg-evil'));
    const request = { ...login.request, resourceGroup: 'rg-evil' };
    expect(decide({ ...login, request })).toBe('resource-group-bound');
    const elsewhere = asSite(site('web', 'rg', OTHER_SUBSCRIPTION));
    const bound = { role: { bound_subscription_ids: [SUBSCRIPTION] } };
    const there = { ...elsewhere.request, subscriptionId: OTHER_SUBSCRIPTION };
    expect(decide({ ...elsewhere, ...bound, request: there })).toBe('subscription-bound');
  });

  test('an answer of the cloud that is about another resource', () => {
    for (const id of [site('web2'), site('web', 'rg-2'), vm('web'), `${site('web')}/slots/x`, '']) {
      const login = asSite(site('web'), { resourceId: site('web') });
      const confirmed = confirmedResource({ id, userAssigned: [shared] });
      expect(decide({ ...login, confirmed })).toBe('cloud-answers-for-the-resource');
    }
  });
});

test.each([
  ...['#', '?', '?api-version=1', '/..', '/../web', '%2f..', '%2e%2e', '\\..', '\0', '\n', '/', '//', '&x', ':x'],
  ...['/slots', '/slots/', '/slots/..', '/slots/a/..', '/slots/%2e', '/slots/a#b'],
])('A5: a resource_id that goes on with %j is none', (trick) => {
  expect(parseResourceId(`${site('web')}${trick}`)).toBeUndefined();
  expect(parseResourceId(`${trick}${site('web')}`)).toBeUndefined();
  expect(decide(asSite(site('web'), { resourceId: `${site('web')}${trick}` }))).toBe('token-resource-readable');
});

describe('A6: a workload’s identity in a group of the caller’s choice', () => {
  const identity = (id: string): ConfirmedResource =>
    confirmedResource({ id, userAssigned: [{ id, principalId: OBJECT }] });
  const evil = identity(userIdentity('own', 'rg-evil'));
  const login: Login = { role, request: AS_WORKLOAD, claims: { applicationId: APPLICATION }, confirmed: evil };

  test('the named group is not bound', () => {
    expect(decide({ ...login, request: { ...AS_WORKLOAD, resourceGroup: 'rg-evil' } })).toBe('resource-group-bound');
  });

  test('the bound group is named, and the identity is in another', () => {
    expect(decide(login)).toBe('cloud-answers-for-the-resource');
  });

  test('no group is named, and the identity is in none that is bound', () => {
    const both = { ...role, bound_subscription_ids: [SUBSCRIPTION] };
    const request = { ...AS_WORKLOAD, subscriptionId: '', resourceGroup: '' };
    const answers = [evil, identity(userIdentity('own', 'rg', OTHER_SUBSCRIPTION)), identity(site('own'))];
    for (const confirmed of answers) {
      expect(decide({ ...login, role: both, request, confirmed })).toBe('cloud-answers-for-the-resource');
    }
    expect(decide({ ...login, role: both, request, confirmed: identity(userIdentity('own')) })).toBe('granted');
  });

  test('a machine that names nothing does not meet what is asked of machines', () => {
    const claims = { applicationId: APPLICATION, resourceId: vm('web_x1') };
    const confirmed = identity(userIdentity('own'));
    const scaleSets = { ...role, bound_scale_sets: ['web'] };
    expect(decide({ ...login, claims, confirmed, role: scaleSets })).toBe('scale-set-bound');
  });
});

test('A7: an empty principal, whatever is named', () => {
  const userAssigned = [{ id: userIdentity('x') }, { id: userIdentity('y'), principalId: '' }];
  const nobody = { objectId: '', applicationId: APPLICATION };
  for (const [request, id] of [
    [asScaleSet('web'), scaleSet('web')],
    [asResource(site('web')), site('web')],
    [AS_WORKLOAD, userIdentity('own')],
  ] as const) {
    for (const systemPrincipalId of [{}, { systemPrincipalId: '' }]) {
      const confirmed = confirmedResource({ id, userAssigned, ...systemPrincipalId });
      expect(decide({ role, request, claims: nobody, confirmed, users: [''] })).toBe('identity-attached');
    }
  }
});

describe('groups that the directory is asked for', () => {
  const grouped = { bound_group_ids: [OTHER_OBJECT] };

  test('another group, none, and the principal itself do not serve', () => {
    for (const confirmedGroups of [[OBJECT], [], [''], ['*'], [OTHER_OBJECT.slice(1)]]) {
      expect(decide({ role: grouped, claims: { groupOverage: true }, confirmedGroups })).toBe('group-confirmed');
    }
    expect(decide({ role: grouped, claims: { groupOverage: true }, confirmedGroups: [OTHER_OBJECT] })).toBe('granted');
  });

  test('a token that lists its groups cannot be helped by the directory', () => {
    const confirmedGroups = [OTHER_OBJECT];
    expect(decide({ role: grouped, claims: { groups: [OBJECT] }, confirmedGroups })).toBe('group-bound');
    expect(decide({ role: grouped, confirmedGroups })).toBe('group-bound');
  });
});
