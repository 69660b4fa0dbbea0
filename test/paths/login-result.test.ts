import { describe, expect, test } from '@jest/globals';
import type { Auth } from '../../src/contract/index.js';
import { refused } from '../support/refused.js';
import {
  CLAIMS,
  MACHINE_LOGIN,
  Mount,
  mountWithRole,
  OBJECT,
  OTHER_OBJECT,
  SUBSCRIPTION,
  userIdentity,
  vm,
} from './mount.js';

const BOUND = { bound_service_principal_ids: [OBJECT] };
const LOGIN = { role: 'Dev', jwt: 'canary-jwt' };

describe('what a login grants', () => {
  test('is little by default', async () => {
    const mount = await mountWithRole(BOUND);
    expect(await mount.login(LOGIN)).toEqual({
      policies: [],
      ttl: 0,
      maxTtl: 0,
      explicitMaxTtl: 0,
      period: 0,
      numUses: 0,
      tokenType: '',
      boundCidrs: [],
      noDefaultPolicy: false,
      renewable: true,
      displayName: OBJECT,
      alias: { name: OBJECT, metadata: {} },
      groupAliases: [],
      metadata: { role: 'dev' },
      internalData: { role: 'dev', policies: '[]' },
    });
  });

  test('is what the role says', async () => {
    const mount = await mountWithRole({
      ...BOUND,
      token_policies: ['ops', 'dev'],
      token_ttl: '1m',
      token_max_ttl: '2m',
      token_explicit_max_ttl: '3m',
      token_period: '4m',
      token_num_uses: 5,
      token_type: 'service',
      token_bound_cidrs: '10.0.0.0/8',
      token_no_default_policy: true,
    });
    expect(await mount.login(LOGIN, '10.0.0.1')).toMatchObject({
      policies: ['ops', 'dev'],
      ttl: 60,
      maxTtl: 120,
      explicitMaxTtl: 180,
      period: 240,
      numUses: 5,
      tokenType: 'service',
      boundCidrs: ['10.0.0.0/8'],
      noDefaultPolicy: true,
    });
  });

  test('follows a change of the role at once', async () => {
    const mount = await mountWithRole(BOUND);
    await mount.login(LOGIN);
    await mount.write('role/dev', { token_policies: ['new'] });
    expect((await mount.login(LOGIN)).policies).toEqual(['new']);
    await mount.write('role/dev', { bound_service_principal_ids: [OTHER_OBJECT] });
    await expect(mount.login(LOGIN)).rejects.toMatchObject({ rule: 'service-principal-bound' });
    await mount.request('delete', 'role/dev');
    await expect(mount.login(LOGIN)).rejects.toMatchObject({ code: 'unknown_role' });
  });

  test('follows a change behind its back within seconds, where the host sends no invalidations', async () => {
    const mount = await mountWithRole(BOUND, { system: { sendsInvalidations: false } });
    await mount.login(LOGIN);
    await mount.storage.plant('role/dev', JSON.stringify({ bound_service_principal_ids: [OTHER_OBJECT] }));
    mount.clock.advance(5_001);
    await expect(mount.login(LOGIN)).rejects.toMatchObject({ rule: 'service-principal-bound' });
  });

  test('follows an invalidation of the role', async () => {
    const mount = await mountWithRole(BOUND);
    await mount.login(LOGIN);
    await mount.storage.delete('role/dev');
    mount.backend.invalidate('role/dev');
    await expect(mount.login(LOGIN)).rejects.toMatchObject({ code: 'unknown_role' });
  });

  test('has an alias for each group that the token lists', async () => {
    const mount = await mountWithRole({ bound_group_ids: ['group-2'] });
    mount.validator.answer = { ...CLAIMS, groups: ['group-1', 'group-2'] };
    expect((await mount.login(LOGIN)).groupAliases).toEqual([
      { name: 'group-1', metadata: {} },
      { name: 'group-2', metadata: {} },
    ]);
  });
});

describe('metadata holds only what was verified (A9)', () => {
  const claimed = {
    ...MACHINE_LOGIN,
    resource_group_name: 'production',
    vm_name: 'database',
    vmss_name: 'set',
    resource_id: vm('x'),
  };

  test.each([
    ['no resource', {}],
    ['only a user-assigned identity', { managedIdentityId: userIdentity('id') }],
    ['a resource that cannot be read', { resourceId: `${vm('database', 'production')}/..` }],
  ])('nothing of the body when the token names %s', async (_, claims) => {
    const mount = await mountWithRole(BOUND);
    mount.validator.answer = { ...CLAIMS, ...claims };
    expect(await mount.login(claimed)).toMatchObject({ metadata: { role: 'dev' }, alias: { metadata: {} } });
    expect(Object.keys((await mount.login(claimed)).metadata)).toEqual(['role']);
  });

  test('what the token proves, where the body says otherwise', async () => {
    const mount = await mountWithRole(BOUND);
    mount.validator.answer = { ...CLAIMS, resourceId: vm('web') };
    const metadata = { subscription_id: SUBSCRIPTION, resource_group_name: 'rg' };
    const auth = await mount.login(claimed);
    expect(auth.alias.metadata).toEqual(metadata);
    expect(auth.metadata).toEqual({ role: 'dev', ...metadata });
    const named = { ...claimed, vm_name: 'WEB' };
    expect((await mount.login({ ...named, vmss_name: '' })).alias.metadata).toEqual({ ...metadata, vm_name: 'web' });
    // The scale set wins over the machine, which is ignored then.
    expect((await mount.login(named)).alias.metadata).toEqual(metadata);
  });
});

describe('a renewal', () => {
  async function loggedIn(role: object): Promise<{ mount: Mount; auth: Auth }> {
    const mount = await mountWithRole({ ...BOUND, ...role });
    return { mount, auth: await mount.login(LOGIN) };
  }

  test('takes lifetimes and period of the role as it is now, and keeps everything else', async () => {
    const { mount, auth } = await loggedIn({
      token_policies: ['a', 'b'],
      token_ttl: 60,
      token_num_uses: 3,
      token_explicit_max_ttl: 600,
    });
    await mount.write('role/dev', {
      token_ttl: 30,
      token_max_ttl: 90,
      token_period: 45,
      token_num_uses: 9,
      token_explicit_max_ttl: 6_000,
    });
    expect(await mount.renew(auth)).toEqual({ ...auth, ttl: 30, maxTtl: 90, period: 45 });
  });

  test('is refused when the role is gone', async () => {
    const { mount, auth } = await loggedIn({});
    await mount.request('delete', 'role/dev');
    await expect(mount.renew(auth)).rejects.toMatchObject({
      ...refused('login_denied', 'the role of the token no longer exists'),
      rule: 'renewal',
    });
  });

  test.each([[['a']], [['a', 'b', 'c']], [['a', 'c']], [[]]])(
    'is refused when the policies are %j now',
    async (policies) => {
      const { mount, auth } = await loggedIn({ token_policies: ['a', 'b'] });
      await mount.write('role/dev', { token_policies: policies });
      await expect(mount.renew(auth)).rejects.toMatchObject(
        refused('login_denied', 'the policies of the role have changed since the login; log in again'),
      );
    },
  );

  test('does not mind the order of policies, nor those that the host has added', async () => {
    const { mount, auth } = await loggedIn({ token_policies: ['a', 'b'] });
    await mount.write('role/dev', { token_policies: ['b', 'a'] });
    await expect(mount.renew({ ...auth, policies: ['default', 'a', 'b'] })).resolves.toMatchObject({
      policies: ['default', 'a', 'b'],
    });
  });

  test('is refused when the token does not say which role it is of', async () => {
    const { mount, auth } = await loggedIn({});
    await expect(mount.renew({ ...auth, internalData: {} })).rejects.toMatchObject({
      code: 'login_denied',
      rule: 'renewal',
    });
  });

  test('asks neither the directory nor the cloud, and costs no storage read', async () => {
    const { mount, auth } = await loggedIn({});
    mount.validator.calls.length = 0;
    mount.storage.calls.length = 0;
    await mount.renew(auth);
    expect(mount.validator.calls).toEqual([]);
    expect(mount.storage.calls).toEqual([]);
  });

  test('fails, rather than being refused, when the storage fails', async () => {
    const { mount, auth } = await loggedIn({});
    mount.backend.invalidate('role/dev');
    mount.storage.failing.add('get');
    await expect(mount.renew(auth)).rejects.toMatchObject({ code: 'storage_failed' });
  });

  test('without the stored auth is a bug of the host', async () => {
    const { mount } = await loggedIn({});
    await expect(mount.request('renew', 'login')).rejects.toMatchObject({ code: 'internal', status: 500 });
  });
});

describe('resolve-role', () => {
  test('names the role, in lower case, without looking at the token', async () => {
    const mount = await mountWithRole(BOUND);
    expect(await mount.request('resolve-role', 'login', LOGIN)).toEqual({ data: { role: 'dev' } });
    expect(mount.validator.calls).toEqual([]);
  });

  test('refuses a role that does not exist', async () => {
    const mount = await mountWithRole(BOUND);
    await expect(mount.request('resolve-role', 'login', { ...LOGIN, role: 'prod' })).rejects.toMatchObject(
      refused('unknown_role', 'role: no such role', 'role'),
    );
  });
});

test.each(['read', 'delete', 'list'] as const)('login does not take %s', async (operation) => {
  await expect(new Mount().request(operation, 'login')).rejects.toMatchObject({ code: 'unsupported_operation' });
});
