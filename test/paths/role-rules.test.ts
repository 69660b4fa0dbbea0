import { describe, expect, test } from '@jest/globals';
import { refused } from '../support/refused.js';
import { Mount, OBJECT } from './mount.js';

const BOUND = { bound_service_principal_ids: [OBJECT] };
const UNCONSTRAINED = 'the role needs at least one bound_* list with a value other than "*"';
const NOT_ALONE = '"*" stands alone: with other values it would let everybody in';

test.each<[string, object, string, string]>([
  ['no list (A8)', {}, 'bound_service_principal_ids', UNCONSTRAINED],
  ['empty lists (A8)', { bound_group_ids: [], bound_locations: '' }, 'bound_service_principal_ids', UNCONSTRAINED],
  ['a lone * of principals (A8)', { bound_service_principal_ids: '*' }, 'bound_service_principal_ids', UNCONSTRAINED],
  ['a lone * of groups (A8)', { bound_group_ids: ['*'] }, 'bound_service_principal_ids', UNCONSTRAINED],
  ['a repeated * (A8)', { bound_group_ids: '*,*, *' }, 'bound_service_principal_ids', UNCONSTRAINED],
  [
    'only * (A8)',
    { bound_service_principal_ids: ['*'], bound_group_ids: ['*'] },
    'bound_service_principal_ids',
    UNCONSTRAINED,
  ],
  [
    'only addresses (A8)',
    { token_bound_cidrs: ['10.0.0.0/8'], token_policies: ['dev'] },
    'bound_service_principal_ids',
    UNCONSTRAINED,
  ],
  ['a * among principals', { bound_service_principal_ids: ['*', OBJECT] }, 'bound_service_principal_ids', NOT_ALONE],
  ['a * among groups', { ...BOUND, bound_group_ids: [OBJECT, '*'] }, 'bound_group_ids', NOT_ALONE],
  [
    'the policy root',
    { ...BOUND, token_policies: ['dev', 'root'] },
    'token_policies',
    'got "root", which no login can get',
  ],
  [
    'the policy root in capitals',
    { ...BOUND, token_policies: ' ROOT ' },
    'token_policies',
    'got "root", which no login can get',
  ],
  [
    'the policy root by its old field',
    { ...BOUND, policies: 'Root' },
    'token_policies',
    'got "root", which no login can get',
  ],
  [
    'a lifetime beyond its maximum',
    { ...BOUND, token_ttl: '2h', token_max_ttl: '1h' },
    'token_ttl',
    'got 7200 seconds, which is more than token_max_ttl (3600)',
  ],
  ...['batch', 'default-batch'].flatMap((type): [string, object, string, string][] => [
    [
      `uses of ${type} tokens`,
      { ...BOUND, token_type: type, token_num_uses: 1 },
      'token_num_uses',
      `cannot be set together with token_type "${type}"`,
    ],
    [
      `a period of ${type} tokens`,
      { ...BOUND, token_type: type, token_period: 60 },
      'token_period',
      `cannot be set together with token_type "${type}"`,
    ],
  ]),
])('refuses %s', async (_, role, field, text) => {
  const mount = new Mount();
  await expect(mount.write('role/dev', role)).rejects.toMatchObject(
    refused('invalid_request', `${field}: ${text}`, field),
  );
  expect(mount.storage.calls).not.toContain('put role/dev');
});

test.each(['bound_locations', 'bound_subscription_ids', 'bound_resource_groups', 'bound_scale_sets'])(
  'refuses a * in %s, where it means nothing',
  async (field) => {
    await expect(new Mount().write('role/dev', { ...BOUND, [field]: ['*'] })).rejects.toMatchObject({
      code: 'invalid_request',
      field,
    });
  },
);

test.each([
  ['bound_service_principal_ids', ['*']],
  ['bound_group_ids', '*'],
])('takes a lone * in %s beside another constraint', async (field, any) => {
  await expect(
    new Mount().write('role/dev', { bound_locations: ['westeurope'], [field]: any }),
  ).resolves.toBeUndefined();
});

test.each<[string, object]>([
  ['a lifetime without a maximum', { token_ttl: '2h' }],
  ['a lifetime at its maximum', { token_ttl: '2h', token_max_ttl: '2h' }],
  ['batch tokens with a lifetime', { token_type: 'batch', token_ttl: 60 }],
  ['service tokens with uses and a period', { token_type: 'default-service', token_num_uses: 1, token_period: 60 }],
  ['policies that only hold the word root', { token_policies: ['root-reader', 'not root'] }],
])('takes %s', async (_, fields) => {
  await expect(new Mount().write('role/dev', { ...BOUND, ...fields })).resolves.toBeUndefined();
});

test('a rule is kept by an update of the other field, too', async () => {
  const mount = new Mount();
  await mount.write('role/dev', { ...BOUND, token_type: 'batch' });
  await expect(mount.write('role/dev', { token_period: 60 })).rejects.toMatchObject({ field: 'token_period' });
  await mount.write('role/dev', { token_ttl: 60, token_max_ttl: 60 });
  await expect(mount.write('role/dev', { token_max_ttl: 30 })).rejects.toMatchObject({ field: 'token_ttl' });
});

describe('warnings', () => {
  test.each(['token_ttl', 'token_period'])('say that the mount caps %s', async (field) => {
    const mount = new Mount({ system: { maxLeaseTtl: () => Promise.resolve(3_600) } });
    expect(await mount.write('role/dev', { ...BOUND, [field]: '1h' })).toBeUndefined();
    expect(await mount.write('role/dev', { ...BOUND, [field]: '2h' })).toEqual({
      warnings: [`${field}: the mount caps it at 3600 seconds`],
    });
  });

  test.each(['bound_service_principal_ids', 'bound_group_ids'])(
    'say that an entry of %s is no object id',
    async (field) => {
      expect(await new Mount().write('role/dev', { ...BOUND, [field]: ['my-app'] })).toEqual({
        warnings: [`${field}: object ids are GUIDs; an entry that is none will hardly match`],
      });
    },
  );
});
