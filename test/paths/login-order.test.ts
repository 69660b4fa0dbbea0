import { describe, expect, test } from '@jest/globals';
import { refused } from '../support/refused.js';
import {
  CLAIMS,
  CONFIG,
  MACHINE_LOGIN,
  Mount,
  mountWithRole,
  OBJECT,
  OTHER_OBJECT,
  SCALE_SET_LOGIN,
  site,
  SITE_LOGIN,
  SUBSCRIPTION,
  vm,
  WORKLOAD_LOGIN,
} from './mount.js';

const BY_PRINCIPAL = { bound_service_principal_ids: [OBJECT] };
const BY_PLACE = { bound_resource_groups: ['rg'], bound_locations: ['westeurope'] };
const LOGIN = { role: 'dev', jwt: 'canary-jwt' };

describe('the shape of the body is checked before anything else', () => {
  test.each<[string, object, string]>([
    ['no role', { jwt: 'canary-jwt' }, 'role'],
    ['an empty role', { role: '', jwt: 'canary-jwt' }, 'role'],
    ['a role that climbs', { role: '../config', jwt: 'canary-jwt' }, 'role'],
    ['a role with a slash', { role: 'a/b', jwt: 'canary-jwt' }, 'role'],
    ['a role that folds to another', { role: '\u212a', jwt: 'canary-jwt' }, 'role'],
    ['a role that is a list', { role: ['dev'], jwt: 'canary-jwt' }, 'role'],
    ['no token', { role: 'dev' }, 'jwt'],
    ['an empty token', { role: 'dev', jwt: '' }, 'jwt'],
    ['a null token', { role: 'dev', jwt: null }, 'jwt'],
    ['a token that is an object', { role: 'dev', jwt: { token: 'canary-jwt' } }, 'jwt'],
    ['a token beyond 16 KiB', { role: 'dev', jwt: `canary-${'x'.repeat(16 * 1024)}` }, 'jwt'],
    ['a subscription that is no GUID', { ...LOGIN, subscription_id: 'mine' }, 'subscription_id'],
    ['a group with a slash', { ...LOGIN, resource_group_name: 'rg/x' }, 'resource_group_name'],
    ['a group of two dots', { ...LOGIN, resource_group_name: '..' }, 'resource_group_name'],
    ['a machine with an escape', { ...LOGIN, vm_name: 'web%2f' }, 'vm_name'],
    ['a machine with a query', { ...LOGIN, vm_name: 'web?x' }, 'vm_name'],
    ['a scale set with a fragment', { ...LOGIN, vmss_name: 'set#' }, 'vmss_name'],
    ['a resource id beyond 2048 characters', { ...LOGIN, resource_id: '/'.repeat(2049) }, 'resource_id'],
    ['a resource id that is none', { ...LOGIN, resource_id: 'web' }, 'resource_id'],
    ['a resource id of a group', { ...LOGIN, resource_id: vm('x').replace(/\/providers.*/, '') }, 'resource_id'],
    ...['#', '?api-version=1', '/..', '/../web', '%2f..', '\\..', '\0', '/'].map((trick): [string, object, string] => [
      `a resource id that goes on with ${JSON.stringify(trick)} (A5)`,
      { ...LOGIN, resource_id: `${vm('web')}${trick}` },
      'resource_id',
    ]),
    ['a resource id that is an object', { ...LOGIN, resource_id: { names: ['web'] } }, 'resource_id'],
    [
      'a trick beside a machine that it is ignored for',
      { ...MACHINE_LOGIN, resource_id: `${vm('web')}#` },
      'resource_id',
    ],
  ])('%s', async (_, body, field) => {
    const mount = await mountWithRole(BY_PRINCIPAL);
    mount.storage.calls.length = 0;
    const error: unknown = await mount.login(body).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject(refused('invalid_request', new RegExp(`^${field}: `), field));
    expect(String(error)).not.toContain('canary');
    expect(mount.storage.calls).toEqual([]);
    expect(mount.validator.calls).toEqual([]);
  });

  test('a token of 16 KiB is let through', async () => {
    const mount = await mountWithRole(BY_PRINCIPAL);
    const jwt = 'canary-'.padEnd(16 * 1024, 'x');
    await mount.login({ role: 'dev', jwt });
    expect(mount.validator.calls).toMatchObject([{ jwt }]);
  });
});

describe('nothing outside is called before everything inside has passed', () => {
  test('not for a role that does not exist', async () => {
    const mount = await mountWithRole(BY_PRINCIPAL);
    await expect(mount.login({ ...LOGIN, role: 'prod' })).rejects.toMatchObject(
      refused('unknown_role', 'role: no such role', 'role'),
    );
    expect(mount.validator.calls).toEqual([]);
  });

  test.each(['__proto__', 'constructor', 'hasOwnProperty'])('not for a role called %s (A14)', async (role) => {
    const mount = await mountWithRole(BY_PRINCIPAL);
    await expect(mount.login({ ...LOGIN, role })).rejects.toMatchObject({ code: 'unknown_role' });
  });

  test.each([
    ['outside of the blocks', '192.0.2.1'],
    ['that is unknown', undefined],
    ['that is empty', ''],
  ])('not for an address %s', async (_, address) => {
    const mount = await mountWithRole({ ...BY_PRINCIPAL, token_bound_cidrs: ['10.0.0.0/8'] });
    await expect(mount.login(LOGIN, address)).rejects.toMatchObject({
      ...refused('login_denied', 'the source address is not in token_bound_cidrs of the role'),
      rule: 'source-address-bound',
      status: 403,
    });
    expect(mount.validator.calls).toEqual([]);
    await expect(mount.login(LOGIN, '::ffff:10.1.2.3')).resolves.toBeDefined();
  });

  test('not for a stored role that restricts nothing (A8)', async () => {
    const mount = new Mount();
    await mount.write('config', CONFIG);
    await mount.storage.plant('role/dev', JSON.stringify({ bound_service_principal_ids: ['*'], bound_group_ids: [] }));
    await expect(mount.login(LOGIN)).rejects.toMatchObject({ code: 'login_denied', rule: 'role-constrained' });
    expect(mount.validator.calls).toEqual([]);
  });

  test('not without a configuration', async () => {
    const mount = new Mount();
    await mount.write('role/dev', BY_PRINCIPAL);
    await expect(mount.login(LOGIN)).rejects.toMatchObject(
      refused('not_configured', 'the method is not configured: tenant_id is missing or unknown'),
    );
    expect(mount.validator.calls).toEqual([]);
  });

  test.each<[string, object, object]>([
    ['another principal', { ...BY_PLACE, bound_service_principal_ids: [OTHER_OBJECT] }, MACHINE_LOGIN],
    ['no group', { ...BY_PLACE, bound_group_ids: [OTHER_OBJECT] }, MACHINE_LOGIN],
    ['another machine’s token', BY_PLACE, { ...MACHINE_LOGIN, vm_name: 'web-2' }],
    ['a group that is not bound', { bound_resource_groups: ['other'] }, MACHINE_LOGIN],
    ['a subscription that is not bound', { bound_subscription_ids: [OTHER_OBJECT] }, MACHINE_LOGIN],
    ['a machine, a scale set being bound', { ...BY_PLACE, bound_scale_sets: ['set'] }, MACHINE_LOGIN],
    [
      'a scale set that is not bound',
      { ...BY_PLACE, bound_scale_sets: ['set'] },
      { ...SCALE_SET_LOGIN, vmss_name: 'we' },
    ],
    ['a scale set of another machine', BY_PLACE, SCALE_SET_LOGIN],
    ['a resource of another machine', BY_PLACE, SITE_LOGIN],
    ['a resource elsewhere (A4)', BY_PLACE, { ...SITE_LOGIN, resource_id: site('web', 'other') }],
    [
      'a resource in a group that is not bound (A4)',
      BY_PLACE,
      { ...SITE_LOGIN, resource_group_name: 'other', resource_id: site('web', 'other') },
    ],
    ['a workload without application', BY_PLACE, WORKLOAD_LOGIN],
    ['a workload in a group that is not bound (A6)', BY_PLACE, { ...WORKLOAD_LOGIN, resource_group_name: 'other' }],
  ])('not the cloud for %s', async (_, role, body) => {
    const mount = await mountWithRole(role);
    mount.validator.answer = { ...CLAIMS, resourceId: vm('web') };
    await expect(mount.login(body)).rejects.toMatchObject({ code: 'login_denied' });
    expect(mount.lookups.configurations).toEqual([]);
  });

  describe.each([
    ['a machine', MACHINE_LOGIN],
    ['a scale set', SCALE_SET_LOGIN],
    ['a resource', SITE_LOGIN],
    ['a workload', WORKLOAD_LOGIN],
  ])('not the cloud for %s', (_, body) => {
    test.each(['subscription_id', 'resource_group_name'])('without %s', async (field) => {
      const mount = await mountWithRole({ bound_locations: ['westeurope'] });
      for (const nothing of [undefined, null, '']) {
        await expect(mount.login({ ...body, [field]: nothing })).rejects.toMatchObject({
          ...refused('invalid_request', `${field}: is required by the constraints of the role`, field),
          rule: 'resource-named',
          status: 400,
        });
      }
      expect(mount.lookups.configurations).toEqual([]);
    });
  });

  test('not the cloud for a token that is refused', async () => {
    const mount = await mountWithRole(BY_PLACE);
    mount.validator.answer = new Error('canary-detail');
    await expect(mount.login(MACHINE_LOGIN)).rejects.toThrow('canary-detail');
    expect(mount.lookups.configurations).toEqual([]);
  });

  test('not the cloud at all for a role that is bound to principals and groups', async () => {
    const mount = await mountWithRole({ ...BY_PRINCIPAL, bound_group_ids: ['*'] });
    await mount.login(MACHINE_LOGIN);
    expect(mount.lookups.configurations).toEqual([]);
  });
});

test('the modules get the token, the machine and one configuration', async () => {
  const mount = await mountWithRole(BY_PLACE);
  mount.validator.answer = { ...CLAIMS, resourceId: vm('web') };
  mount.lookups.machine = { id: vm('web'), location: 'westeurope', systemPrincipalId: OBJECT, userAssigned: [] };
  await mount.login(MACHINE_LOGIN);
  const [call] = mount.validator.calls;
  expect(call).toMatchObject({ jwt: 'canary-jwt', configuration: { resource: CONFIG.resource } });
  expect(mount.lookups.machineCalls).toEqual([{ subscriptionId: SUBSCRIPTION, resourceGroup: 'rg', name: 'web' }]);
  expect(mount.lookups.configurations[0]).toBe(call?.configuration);
});

test('a login costs no storage read once role and configuration are cached', async () => {
  const mount = await mountWithRole(BY_PRINCIPAL);
  await mount.login(LOGIN);
  mount.storage.calls.length = 0;
  await Promise.all(Array.from({ length: 20 }, () => mount.login(LOGIN)));
  expect(mount.storage.calls).toEqual([]);
});

test('a burst of first logins reads role and configuration once', async () => {
  const mount = await mountWithRole(BY_PRINCIPAL);
  mount.backend.invalidate('config');
  mount.backend.invalidate('role/dev');
  mount.storage.calls.length = 0;
  await Promise.all(Array.from({ length: 20 }, () => mount.login(LOGIN)));
  expect(mount.storage.calls.toSorted()).toEqual(['get config', 'get role/dev']);
});

test.each(['role/dev', 'config'])('a storage that cannot read %s makes a login fail, not deny', async (key) => {
  const mount = await mountWithRole(BY_PRINCIPAL);
  await mount.login(LOGIN);
  mount.backend.invalidate(key);
  mount.storage.failing.add('get');
  await expect(mount.login(LOGIN)).rejects.toMatchObject(refused('storage_failed', `storage: could not read ${key}`));
});

test('a refusal is logged with its rule and without the token', async () => {
  const mount = await mountWithRole({ bound_service_principal_ids: [OTHER_OBJECT] });
  await expect(mount.login(LOGIN)).rejects.toMatchObject({ code: 'login_denied' });
  expect(mount.logger.lines).toEqual([
    {
      level: 'info',
      message: 'login refused',
      fields: { request_id: 'request-1', role: 'dev', rule: 'service-principal-bound', code: 'login_denied' },
    },
  ]);
});
