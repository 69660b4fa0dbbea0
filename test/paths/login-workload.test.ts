import { beforeEach, describe, expect, test } from '@jest/globals';
import { AuthMethodError } from '../../src/contract/index.js';
import type { ListedIdentity } from '../../src/contract/index.js';
import { refused } from '../support/refused.js';
import {
  APPLICATION,
  CLAIMS,
  mountWithRole,
  OBJECT,
  OTHER_OBJECT,
  SUBSCRIPTION,
  userIdentity,
  vm,
  WORKLOAD_LOGIN,
} from './mount.js';
import type { Mount } from './mount.js';

const OUTAGE = new AuthMethodError('provider_unavailable', 'The provider did not answer.', { retryAfter: 7 });
const FORBIDDEN = new AuthMethodError('not_configured', 'The credentials are refused.');
const OTHER_SUBSCRIPTION = SUBSCRIPTION.replace(/1$/, '2');
const LOGIN = { role: 'dev', jwt: 'canary-jwt' };
const BOUND = { bound_subscription_ids: [SUBSCRIPTION], bound_resource_groups: ['A', 'b'] };

function identity(group: string, changes: Partial<ListedIdentity> = {}): ListedIdentity {
  const id = userIdentity('own', group);
  return { id, location: 'West Europe', clientId: APPLICATION, principalId: OBJECT, ...changes };
}

/** The groups that were searched, each with its subscription. */
function searched({ lookups }: Mount): string[] {
  return lookups.identityListCalls.map(({ subscriptionId, resourceGroup }) => `${subscriptionId}/${resourceGroup}`);
}

async function workload(role: object): Promise<Mount> {
  const mount = await mountWithRole(role);
  mount.validator.answer = { ...CLAIMS, applicationId: APPLICATION };
  return mount;
}

describe('the identity of a workload is searched', () => {
  test.each<[string, object, object, string[]]>([
    ['in the bound groups', BOUND, LOGIN, ['a', 'b'].map((group) => `${SUBSCRIPTION}/${group}`)],
    ['in the named group alone', BOUND, { ...WORKLOAD_LOGIN, resource_group_name: 'B' }, [`${SUBSCRIPTION}/b`]],
    [
      'in the named group, where none is bound',
      { bound_locations: ['westeurope'] },
      { ...WORKLOAD_LOGIN, resource_group_name: 'B' },
      [`${SUBSCRIPTION}/b`],
    ],
    [
      'in every bound subscription',
      { ...BOUND, bound_subscription_ids: [OTHER_SUBSCRIPTION, SUBSCRIPTION], bound_resource_groups: ['b'] },
      LOGIN,
      [`${OTHER_SUBSCRIPTION}/b`, `${SUBSCRIPTION}/b`],
    ],
  ])('%s', async (_, role, body, places) => {
    const mount = await workload(role);
    mount.lookups.identityLists = { b: [identity('B')] };
    const auth = await mount.login(body);
    expect(searched(mount)).toEqual(places);
    expect(mount.lookups.configurations).toHaveLength(places.length);
    // Its own id says where it is, in the cloud’s spelling.
    const metadata = { subscription_id: SUBSCRIPTION, resource_group_name: 'B' };
    expect(auth.metadata).toEqual({ role: 'dev', ...metadata });
    expect(auth.alias).toEqual({ name: OBJECT, metadata });
  });

  test('side by side', async () => {
    const mount = await workload(BOUND);
    const events: string[] = [];
    const slow = (name: string) => async () => {
      events.push(`${name} begins`);
      await new Promise(setImmediate);
      events.push(`${name} ends`);
      return [identity(name)];
    };
    mount.lookups.identityLists = { a: slow('a'), b: slow('b') };
    await mount.login(LOGIN);
    expect(events).toEqual(['a begins', 'b begins', 'a ends', 'b ends']);
  });

  test('in no more than 50 groups; the caller is told what to name', async () => {
    const groups = Array.from({ length: 51 }, (_, index) => `rg-${index}`);
    const mount = await workload({ ...BOUND, bound_resource_groups: groups });
    const field = 'resource_group_name';
    await expect(mount.login(LOGIN)).rejects.toMatchObject(
      refused('invalid_request', `${field}: is required because the role binds more than 50 resource groups`, field),
    );
    expect(mount.lookups.configurations).toEqual([]);
    mount.lookups.identityLists = { 'rg-7': [identity('rg-7')] };
    await expect(mount.login({ ...LOGIN, resource_group_name: 'rg-7' })).resolves.toBeDefined();
  });
});

describe('a workload', () => {
  let mount: Mount;

  beforeEach(async () => {
    mount = await workload({ ...BOUND, bound_locations: ['westeurope'] });
  });

  test('that runs on a machine is still itself, and is where its identity is', async () => {
    mount.validator.answer = { ...CLAIMS, applicationId: APPLICATION, resourceId: vm('node', 'cluster') };
    mount.lookups.identityLists = { b: [identity('b')] };
    expect((await mount.login(LOGIN)).metadata).toEqual({
      role: 'dev',
      subscription_id: SUBSCRIPTION,
      resource_group_name: 'b',
    });
  });

  test.each<[string, string, ListedIdentity]>([
    ['resource-exists', 'another client id', identity('b', { clientId: OTHER_OBJECT })],
    ['resource-exists', 'another principal', identity('b', { principalId: OTHER_OBJECT })],
    ['resource-exists', 'an empty principal', identity('b', { principalId: '' })],
    ['cloud-answers-for-the-resource', 'a place that was not asked for (A6)', identity('rg-evil')],
    ['location-bound', 'another location', identity('b', { location: 'eastus' })],
  ])('is refused by %s when its identity has %s', async (rule, _, listed) => {
    mount.lookups.identityLists = { a: [], b: [listed] };
    await expect(mount.login(LOGIN)).rejects.toMatchObject({ code: 'login_denied', rule, status: 403 });
  });

  test('is refused when the token says that it is of another identity', async () => {
    const managedIdentityId = userIdentity('other', 'b');
    mount.validator.answer = { ...CLAIMS, applicationId: APPLICATION, managedIdentityId };
    mount.lookups.identityLists = { b: [identity('b')] };
    await expect(mount.login(LOGIN)).rejects.toMatchObject({ rule: 'identity-attached' });
  });

  test('is refused without application before anything is asked', async () => {
    mount.validator.answer = CLAIMS;
    await expect(mount.login(LOGIN)).rejects.toMatchObject({ rule: 'token-names-application' });
    expect(mount.lookups.configurations).toEqual([]);
  });

  test.each<[string, undefined | Error]>([
    ['is gone', undefined],
    ['may not be read', FORBIDDEN],
    ['is not answered for', OUTAGE],
  ])('gets in when one group %s and another has its identity', async (_, answer) => {
    mount.lookups.identityLists = { a: answer, b: [identity('b')] };
    await expect(mount.login(LOGIN)).resolves.toBeDefined();
  });

  test.each<[string, undefined | Error]>([
    ['is gone', undefined],
    ['may not be read', FORBIDDEN],
  ])('is denied when one group %s and another has no such identity', async (_, answer) => {
    mount.lookups.identityLists = { a: answer, b: [] };
    await expect(mount.login(LOGIN)).rejects.toMatchObject({ code: 'login_denied', rule: 'resource-exists' });
  });

  test.each<[string, readonly [] | Error]>([
    ['has no such identity', []],
    ['may not be read', FORBIDDEN],
    ['is not answered for either', OUTAGE],
  ])('meets an outage, not a denial, when one group is not answered for and another %s', async (_, answer) => {
    mount.lookups.identityLists = { a: answer, b: OUTAGE };
    await expect(mount.login(LOGIN)).rejects.toMatchObject({
      code: 'provider_unavailable',
      status: 503,
      retryAfter: 7,
    });
  });

  test('meets no denial when no group at all may be read', async () => {
    mount.lookups.identityLists = { a: FORBIDDEN, b: FORBIDDEN };
    await expect(mount.login(LOGIN)).rejects.toBe(FORBIDDEN);
    expect(mount.logger.lines).toEqual([]);
  });
});
