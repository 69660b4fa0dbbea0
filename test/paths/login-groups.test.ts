import { beforeEach, describe, expect, test } from '@jest/globals';
import { AuthMethodError } from '../../src/contract/index.js';
import { CLAIMS, MACHINE_LOGIN, mountWithRole, OBJECT, OTHER_OBJECT, vm } from './mount.js';
import type { Mount } from './mount.js';

const OUTAGE = new AuthMethodError('provider_unavailable', 'The provider did not answer.', { retryAfter: 7 });
const LOGIN = { role: 'dev', jwt: 'canary-jwt' };
const GROUPS = ['0000000a-0000-0000-0000-000000000000', '0000000B-0000-0000-0000-000000000000'];
const FOLDED = GROUPS.map((group) => group.toLowerCase());
const OVERAGE = { ...CLAIMS, groupOverage: true };

let mount: Mount;

beforeEach(async () => {
  mount = await mountWithRole({ bound_group_ids: GROUPS });
  mount.validator.answer = OVERAGE;
});

describe('a token with too many groups to list', () => {
  test('has the directory asked, once, for the bound groups alone', async () => {
    mount.lookups.groups = [FOLDED[1]!];
    await expect(mount.login(LOGIN)).resolves.toMatchObject({ alias: { name: OBJECT } });
    expect(mount.lookups.groupCalls).toEqual([{ objectId: OBJECT, groupIds: FOLDED }]);
    expect(mount.lookups.configurations).toHaveLength(1);
  });

  test('gives no alias for groups that it does not list itself', async () => {
    mount.validator.answer = { ...OVERAGE, groups: ['listed'] };
    mount.lookups.groups = GROUPS;
    expect((await mount.login(LOGIN)).groupAliases).toEqual([{ name: 'listed', metadata: {} }]);
    expect(mount.lookups.groupCalls).toMatchObject([{ groupIds: FOLDED }]);
  });

  test('proves where it comes from as any other does', async () => {
    mount.validator.answer = { ...OVERAGE, resourceId: vm('web') };
    mount.lookups.groups = GROUPS;
    expect((await mount.login(MACHINE_LOGIN)).metadata).toMatchObject({ vm_name: 'web', resource_group_name: 'rg' });
    expect(mount.lookups.machineCalls).toEqual([]);
  });

  test.each([[[]], [[OTHER_OBJECT]], [['*']], [['']]])('is refused when the directory answers %j', async (groups) => {
    mount.lookups.groups = groups;
    await expect(mount.login(LOGIN)).rejects.toMatchObject({
      code: 'login_denied',
      rule: 'group-confirmed',
      status: 403,
    });
  });

  test.each(['provider_unavailable', 'not_configured'] as const)(
    'is not denied when the directory does not answer: %s',
    async (code) => {
      const error = new AuthMethodError(code, 'A sentence.');
      mount.lookups.groups = error;
      await expect(mount.login(LOGIN)).rejects.toBe(error);
      expect(mount.logger.lines).toEqual([]);
    },
  );
});

describe('the directory is not asked', () => {
  test.each([
    ['when the token lists a bound group', { ...CLAIMS, groups: [GROUPS[0]!.toUpperCase()] }],
    ['when it does so in spite of overage', { ...OVERAGE, groups: [GROUPS[0]!] }],
  ])('%s', async (_, claims) => {
    mount.validator.answer = claims;
    await expect(mount.login(LOGIN)).resolves.toBeDefined();
    expect(mount.lookups.configurations).toEqual([]);
  });

  test.each([
    ['that lists other groups', { ...CLAIMS, groups: [OTHER_OBJECT] }],
    ['that lists none', CLAIMS],
  ])('for a token %s, which is refused', async (_, claims) => {
    mount.validator.answer = claims;
    mount.lookups.groups = GROUPS;
    await expect(mount.login(LOGIN)).rejects.toMatchObject({ rule: 'group-bound' });
    expect(mount.lookups.configurations).toEqual([]);
  });

  test.each([
    ['no group', { bound_service_principal_ids: [OBJECT] }],
    ['any group', { bound_service_principal_ids: [OBJECT], bound_group_ids: ['*'] }],
  ])('for a role that binds %s', async (_, role) => {
    const other = await mountWithRole(role);
    other.validator.answer = OVERAGE;
    await expect(other.login(LOGIN)).resolves.toBeDefined();
    expect(other.lookups.configurations).toEqual([]);
  });

  test.each([
    ['another principal', { bound_service_principal_ids: [OTHER_OBJECT] }, 'service-principal-bound'],
    ['another place', { bound_resource_groups: ['other'] }, 'resource-group-bound'],
  ])('before the rules inside have passed: %s', async (_, role, rule) => {
    await mount.write('role/dev', role);
    await expect(mount.login(MACHINE_LOGIN)).rejects.toMatchObject({ code: 'login_denied', rule });
    expect(mount.lookups.configurations).toEqual([]);
  });
});

describe('groups and a machine', () => {
  const events: string[] = [];
  const slow =
    <T>(name: string, answer: T) =>
    async (): Promise<T> => {
      events.push(`${name} begins`);
      await new Promise(setImmediate);
      events.push(`${name} ends`);
      return answer;
    };
  const machine = { id: vm('web'), location: 'westeurope', systemPrincipalId: OBJECT, userAssigned: [] };

  beforeEach(async () => {
    events.length = 0;
    await mount.write('role/dev', { bound_resource_groups: ['rg'] });
    mount.lookups.groups = slow('directory', GROUPS);
    mount.lookups.machine = slow('cloud', machine);
  });

  test('are asked for side by side', async () => {
    await expect(mount.login(MACHINE_LOGIN)).resolves.toBeDefined();
    expect(events).toEqual(['directory begins', 'cloud begins', 'directory ends', 'cloud ends']);
  });

  test('must both serve', async () => {
    mount.lookups.groups = [];
    await expect(mount.login(MACHINE_LOGIN)).rejects.toMatchObject({ rule: 'group-confirmed' });
    mount.lookups.groups = GROUPS;
    mount.lookups.machine = { ...machine, systemPrincipalId: OTHER_OBJECT };
    await expect(mount.login(MACHINE_LOGIN)).rejects.toMatchObject({ rule: 'identity-attached' });
  });

  test('are an outage when either is', async () => {
    mount.lookups.groups = OUTAGE;
    await expect(mount.login(MACHINE_LOGIN)).rejects.toBe(OUTAGE);
    mount.lookups.groups = GROUPS;
    mount.lookups.machine = OUTAGE;
    await expect(mount.login(MACHINE_LOGIN)).rejects.toBe(OUTAGE);
  });
});
