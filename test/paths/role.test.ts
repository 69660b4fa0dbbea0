import { describe, expect, test } from '@jest/globals';
import { refused } from '../support/refused.js';
import { Mount, OBJECT, OTHER_OBJECT, SUBSCRIPTION } from './mount.js';

const BOUND = { bound_service_principal_ids: [OBJECT] };
const DEFAULTS = {
  bound_group_ids: [],
  bound_locations: [],
  bound_subscription_ids: [],
  bound_resource_groups: [],
  bound_scale_sets: [],
  token_ttl: 0,
  token_max_ttl: 0,
  token_explicit_max_ttl: 0,
  token_period: 0,
  token_policies: [],
  token_bound_cidrs: [],
  token_no_default_policy: false,
  token_num_uses: 0,
  token_type: '',
  policies: [],
  ttl: 0,
  max_ttl: 0,
  period: 0,
  num_uses: 0,
  max_jwt_exp: 0,
};

describe('reading', () => {
  test('gives nothing when there is no such role', async () => {
    expect(await new Mount().request('read', 'role/dev')).toBeUndefined();
  });

  test('gives every field, defaults and old names included', async () => {
    const mount = new Mount();
    expect(await mount.write('role/dev', BOUND)).toBeUndefined();
    expect(await mount.read('role/dev')).toEqual({ ...BOUND, ...DEFAULTS });
  });

  test('spells the token type that was never given as the dialect does', async () => {
    const mount = new Mount({ dialect: 'vault' });
    await mount.write('role/dev', BOUND);
    expect(await mount.read('role/dev')).toEqual({ ...BOUND, ...DEFAULTS, token_type: 'default' });
  });
});

describe('writing a field', () => {
  test.each<[field: string, given: unknown, read: unknown]>([
    ['bound_service_principal_ids', `${OBJECT}, ${OTHER_OBJECT}`, [OBJECT, OTHER_OBJECT]],
    ['bound_group_ids', [OTHER_OBJECT], [OTHER_OBJECT]],
    ['bound_locations', 'East US,westeurope', ['East US', 'westeurope']],
    ['bound_subscription_ids', [SUBSCRIPTION], [SUBSCRIPTION]],
    ['bound_resource_groups', ['Gruppe-(ä)', 'rg.1'], ['Gruppe-(ä)', 'rg.1']],
    ['bound_scale_sets', ['0set', 'Set-1'], ['0set', 'Set-1']],
    ['token_ttl', '1h', 3_600],
    ['token_ttl', '', 0],
    ['token_max_ttl', 7_200, 7_200],
    ['token_explicit_max_ttl', '1d', 86_400],
    ['token_period', '90', 90],
    ['token_policies', 'Dev, ops,DEV', ['dev', 'ops']],
    ['token_bound_cidrs', '10.0.0.0/8,::1', ['10.0.0.0/8', '::1']],
    ['token_no_default_policy', 'true', true],
    ['token_num_uses', '3', 3],
    ['token_type', 'service', 'service'],
    ['token_type', 'default-batch', 'default-batch'],
    ['max_jwt_exp', '2h', 7_200],
  ])('%s: %j reads as %j', async (field, given, read) => {
    const mount = new Mount();
    await mount.write('role/dev', { ...BOUND, [field]: given });
    expect((await mount.read('role/dev'))?.[field]).toEqual(read);
  });

  test.each<[field: string, given: unknown]>([
    ['bound_service_principal_ids', ['a b']],
    ['bound_service_principal_ids', { 0: OBJECT }],
    ['bound_group_ids', ['a\u200bb']],
    ['bound_locations', ['west/europe']],
    ['bound_subscription_ids', ['mine']],
    ['bound_subscription_ids', [`${SUBSCRIPTION}/`]],
    ['bound_resource_groups', ['rg/other']],
    ['bound_resource_groups', ['..']],
    ['bound_scale_sets', ['set?']],
    ['token_ttl', '-1s'],
    ['token_max_ttl', '1.5h'],
    ['token_period', 'often'],
    ['token_explicit_max_ttl', true],
    ['token_policies', ['a\nb']],
    ['token_policies', [{ name: 'root' }]],
    ['token_bound_cidrs', ['10.0.0.0/33']],
    ['token_no_default_policy', 'yes'],
    ['token_num_uses', -1],
    ['token_num_uses', 2_147_483_648],
    ['token_type', 'admin'],
    ['token_type', 'constructor'],
    ['policies', 7],
    ['ttl', 'soon'],
    ['max_jwt_exp', -1],
  ])('%s: %j is refused by name, and stores nothing', async (field, given) => {
    const mount = new Mount();
    await expect(mount.write('role/dev', { ...BOUND, [field]: given })).rejects.toMatchObject(
      refused('invalid_request', new RegExp(`^${field}: got .+; takes .+`), field),
    );
    expect(mount.storage.calls).not.toContain('put role/dev');
  });

  test.each([
    ['policies', 'token_policies', ['a']],
    ['ttl', 'token_ttl', 60],
    ['max_ttl', 'token_max_ttl', 60],
    ['period', 'token_period', 60],
    ['num_uses', 'token_num_uses', 6],
  ])('%s is an old name of %s', async (old, name, value) => {
    const mount = new Mount();
    await mount.write('role/dev', { ...BOUND, [old]: value });
    expect(await mount.read('role/dev')).toMatchObject({ [name]: value, [old]: value });
    expect(await mount.storage.stored('role/dev')).toEqual({ ...BOUND, [name]: value, version: 1 });
  });

  test.each([
    ['policies', 'token_policies', ['old'], ['new']],
    ['ttl', 'token_ttl', 60, 0],
  ])('%s loses against %s, with a warning', async (old, name, oldValue, value) => {
    const mount = new Mount();
    expect(await mount.write('role/dev', { ...BOUND, [old]: oldValue, [name]: value })).toEqual({
      warnings: [`${old} was ignored, since ${name} is given`],
    });
    expect(await mount.read('role/dev')).toMatchObject({ [name]: value, [old]: value });
  });
});

describe('updating (A12)', () => {
  const role = { ...BOUND, bound_resource_groups: ['rg'], token_policies: ['dev'], token_bound_cidrs: ['10.0.0.0/8'] };

  test('keeps what it does not name, and what is null, also fields of a later version', async () => {
    const mount = new Mount();
    await mount.storage.plant('role/dev', JSON.stringify({ ...role, from_the_future: true }));
    await mount.write('role/dev', { token_ttl: 60, bound_resource_groups: null });
    expect(await mount.storage.stored('role/dev')).toEqual({
      ...role,
      token_ttl: 60,
      from_the_future: true,
      version: 1,
    });
  });

  test.each([[[]], ['']])('empties a list that is given as %j', async (nothing) => {
    const mount = new Mount();
    await mount.write('role/dev', role);
    await mount.write('role/dev', {
      bound_resource_groups: nothing,
      token_policies: nothing,
      token_bound_cidrs: nothing,
    });
    expect(await mount.read('role/dev')).toMatchObject({
      ...BOUND,
      bound_resource_groups: [],
      token_policies: [],
      token_bound_cidrs: [],
    });
  });

  test('cannot empty the last list that restricts', async () => {
    const mount = new Mount();
    await mount.write('role/dev', BOUND);
    for (const nothing of [[], '', ['*'], [' ', '']]) {
      await expect(mount.write('role/dev', { bound_service_principal_ids: nothing })).rejects.toMatchObject({
        code: 'invalid_request',
        field: 'bound_service_principal_ids',
      });
    }
    expect(await mount.read('role/dev')).toMatchObject(BOUND);
  });
});

describe('names', () => {
  test.each(['a', '0', 'dev', 'dev-1', 'a.b', 'a..b', '_', '__proto__', 'constructor', 'x'.repeat(128)])(
    '%s is one',
    async (name) => {
      const mount = new Mount();
      await mount.write(`role/${name}`, BOUND);
      expect(await mount.read(`role/${name}`)).toMatchObject(BOUND);
      expect((await mount.request('list', 'role'))?.data).toEqual({ keys: [name] });
    },
  );

  test.each([
    '.',
    '..',
    '.dev',
    'dev.',
    '-dev',
    'dev-',
    'a b',
    'a\tb',
    'a%2fb',
    'a\\b',
    'ä',
    '\u212a',
    'a\0',
    'a\n',
    'x'.repeat(129),
  ])('%j is none', async (name) => {
    const mount = new Mount();
    for (const operation of ['update', 'read', 'delete'] as const) {
      await expect(mount.request(operation, `role/${name}`, BOUND)).rejects.toMatchObject(
        refused('invalid_request', /^name: got ".+"(\.\.\.)?; takes at most 128 letters/, 'name'),
      );
    }
    expect(mount.storage.calls).toEqual([]);
  });

  test('are the same in any case', async () => {
    const mount = new Mount();
    await mount.write('role/Dev', BOUND);
    await mount.write('role/DEV', { token_ttl: 60 });
    expect(await mount.read('role/dev')).toMatchObject({ ...BOUND, token_ttl: 60 });
    expect((await mount.request('list', 'role'))?.data).toEqual({ keys: ['dev'] });
    await mount.request('delete', 'role/dEV');
    expect(await mount.read('role/Dev')).toBeUndefined();
  });

  test('in the body do not count', async () => {
    const mount = new Mount();
    expect(await mount.write('role/dev', { ...BOUND, name: 'prod' })).toBeUndefined();
    expect(await mount.read('role/prod')).toBeUndefined();
  });
});

describe('listing', () => {
  test('gives an empty list when there are none', async () => {
    expect((await new Mount().request('list', 'role/'))?.data).toEqual({ keys: [] });
  });

  test('gives the names, sorted', async () => {
    const mount = new Mount();
    for (const name of ['b', 'A', 'c']) await mount.write(`role/${name}`, BOUND);
    expect((await mount.request('list', 'role'))?.data).toEqual({ keys: ['a', 'b', 'c'] });
  });
});

test('deleting may be repeated', async () => {
  const mount = new Mount();
  await mount.write('role/dev', BOUND);
  await mount.request('delete', 'role/dev');
  expect(await mount.request('delete', 'role/dev')).toBeUndefined();
  expect(await mount.storage.stored('role/dev')).toBeUndefined();
});

test('a role exists once it is written, in any case', async () => {
  const mount = new Mount();
  const exists = (path: string) => mount.backend.existenceCheck({ id: 'request-1', operation: 'update', path });
  expect(await exists('role/dev')).toBe(false);
  await mount.write('role/dev', BOUND);
  expect(await exists('role/DEV')).toBe(true);
  expect(await exists('role')).toBeUndefined();
  expect(await exists('login')).toBeUndefined();
  await expect(exists('role/..')).rejects.toMatchObject({ code: 'invalid_request' });
  mount.backend.invalidate('role/dev');
  mount.storage.failing.add('get');
  await expect(exists('role/dev')).rejects.toMatchObject({ code: 'storage_failed' });
});

test.each([
  ['get', 'read', 'role/dev'],
  ['get', 'update', 'role/dev'],
  ['put', 'update', 'role/dev'],
  ['delete', 'delete', 'role/dev'],
  ['list', 'list', 'role'],
] as const)('a storage that fails to %s makes a %s fail, not lie', async (call, operation, path) => {
  const mount = new Mount();
  mount.storage.failing.add(call);
  await expect(mount.request(operation, path, BOUND)).rejects.toMatchObject({ code: 'storage_failed', status: 500 });
});
