import { describe, expect, test } from '@jest/globals';
import { refused } from '../support/refused.js';
import { CONFIG, Mount, TENANT } from './mount.js';

const SECRET = 'canary-client-secret';
const CREDENTIALS = { client_id: 'client', client_secret: SECRET };
const DEFAULTS = {
  environment: 'CloudPublicCloud',
  client_id: '',
  client_secret: '',
  identity_token_audience: '',
  identity_token_ttl: 3_600,
  auth_type: '',
  max_retries: 3,
  retry_delay: '4s',
  max_retry_delay: '60s',
  rotation_period: 0,
  rotation_schedule: '',
  rotation_window: 0,
  disable_automated_rotation: false,
  root_password_ttl: 15_768_000,
};

describe('reading', () => {
  test('gives nothing when nothing was written', async () => {
    expect(await new Mount().request('read', 'config')).toBeUndefined();
  });

  test('gives nothing when only environment variables are set: they are not stored', async () => {
    const env = { CLOUD_TENANT_ID: TENANT, CLOUD_AD_RESOURCE: 'r', CLOUD_CLIENT_SECRET: SECRET };
    expect(await new Mount({ env }).request('read', 'config')).toBeUndefined();
  });

  test('gives every field, defaults included', async () => {
    const mount = new Mount();
    expect(await mount.write('config', CONFIG)).toBeUndefined();
    expect(await mount.read('config')).toEqual({ ...CONFIG, ...DEFAULTS });
  });

  test('gives the stored secret in the dialect of the spec', async () => {
    const mount = new Mount();
    await mount.write('config', { ...CONFIG, ...CREDENTIALS });
    expect(await mount.read('config')).toMatchObject(CREDENTIALS);
  });

  test('in the vault dialect leaves the secret out and spells the rest as its clients expect', async () => {
    const mount = new Mount({ dialect: 'vault' });
    await mount.write('config', { ...CONFIG, ...CREDENTIALS, retry_delay: '1500ms' });
    const read = await mount.read('config');
    expect(read).not.toHaveProperty('client_secret');
    expect({ client_secret: '', ...read }).toEqual({
      ...CONFIG,
      ...DEFAULTS,
      client_id: 'client',
      environment: 'AzurePublicCloud',
      retry_delay: 1_500_000_000,
      max_retry_delay: 60_000_000_000,
    });
  });
});

describe('writing a field', () => {
  test.each<[field: string, given: unknown, read: unknown]>([
    ['tenant_id', 'contoso.example', 'contoso.example'],
    ['resource', 'api://x', 'api://x'],
    ['environment', 'CloudChinaCloud', 'CloudChinaCloud'],
    ['environment', 'AzureUSGovernmentCloud', 'CloudUSGovernmentCloud'],
    ['client_id', 'client', 'client'],
    ['client_secret', SECRET, SECRET],
    ['identity_token_ttl', '2h', 7_200],
    ['max_retries', '7', 7],
    ['max_retries', 0, 0],
    ['retry_delay', '1500ms', '1500ms'],
    ['retry_delay', 2, '2s'],
    ['max_retry_delay', '2m', '120s'],
    ['disable_automated_rotation', 'true', true],
    ['root_password_ttl', '24h', 86_400],
    ['auth_type', 'msi', 'msi'],
    ['auth_type', 'aks_wi', 'aks_wi'],
  ])('%s: %j reads as %j', async (field, given, read) => {
    const mount = new Mount();
    await mount.write('config', { ...CONFIG, [field]: given });
    expect((await mount.read('config'))?.[field]).toBe(read);
  });

  test.each<[field: string, given: unknown, got: string]>([
    ['tenant_id', 'common', '"common"'],
    ['tenant_id', 'organizations', '"organizations"'],
    ['tenant_id', `${TENANT}/..`, `"${TENANT}/.."`],
    ['tenant_id', 'contoso.example/x', '"contoso.example/x"'],
    ['tenant_id', 'contoso..example', '"contoso..example"'],
    ['tenant_id', 'a@contoso.example', '"a@contoso.example"'],
    ['tenant_id', 'contoso.example?x=', '"contoso.example?x="'],
    ['environment', 'CloudMoonCloud', '"CloudMoonCloud"'],
    ['environment', 'constructor', '"constructor"'],
    ['auth_type', 'password', '"password"'],
    ['max_retries', -1, '-1'],
    ['max_retries', 101, '101'],
    ['retry_delay', '-1s', '"-1s"'],
    ['max_retry_delay', '1e9', '"1e9"'],
    ['identity_token_ttl', 99_999_999_999, '99999999999'],
    ['rotation_period', 4, '4'],
    ['rotation_period', -5, '-5'],
    ['rotation_period', '1.5h', '"1.5h"'],
    ['rotation_window', -1, '-1'],
    ['disable_automated_rotation', 1, '1'],
    ['client_id', 7, '7'],
  ])('%s: %j is refused, and stores nothing', async (field, given, got) => {
    const mount = new Mount();
    await expect(mount.write('config', { ...CONFIG, [field]: given })).rejects.toMatchObject(
      refused('invalid_request', new RegExp(`^${field}: got ${got.replace(/[.?+*]/g, '\\$&')}; takes .`), field),
    );
    expect(await mount.read('config')).toBeUndefined();
  });

  test.each([599, 600])('an audience of %d characters: the spec wants fewer than 600', async (length) => {
    const mount = new Mount();
    const audience = 'x'.repeat(length);
    const written = mount.write('config', { ...CONFIG, client_id: 'client', identity_token_audience: audience });
    if (length < 600) {
      await written;
      expect(await mount.read('config')).toMatchObject({ identity_token_audience: audience });
    } else {
      await expect(written).rejects.toMatchObject({ code: 'invalid_request', field: 'identity_token_audience' });
    }
  });

  test('that is secret and refused does not show it', async () => {
    const written = new Mount().write('config', { ...CONFIG, client_secret: SECRET.repeat(200) });
    await expect(written).rejects.toMatchObject(
      refused(
        'invalid_request',
        'client_secret: got a text of 4000 characters; takes text of at most 2048 characters',
        'client_secret',
      ),
    );
  });

  test.each(['tenant_id', 'resource'])('%s must be there', async (field) => {
    const mount = new Mount();
    for (const nothing of [undefined, null, '']) {
      await expect(mount.write('config', { ...CONFIG, [field]: nothing })).rejects.toMatchObject(
        refused('invalid_request', new RegExp(`^${field}: is required; takes .`), field),
      );
    }
  });

  test.each(['__proto__', 'constructor'])('%s is an unknown one (A14)', async (field) => {
    const mount = new Mount();
    const body = JSON.parse(JSON.stringify(CONFIG).replace('{', `{ "${field}": { "resource": "x" },`)) as object;
    expect(await mount.write('config', body)).toEqual({ warnings: [`unknown fields were ignored: "${field}"`] });
    expect(await mount.storage.stored('config')).toEqual({ ...CONFIG, version: 1 });
  });
});

describe('updating', () => {
  test('keeps every field that it does not name, also those of a later version', async () => {
    const mount = new Mount();
    await mount.storage.plant('config', JSON.stringify({ ...CONFIG, ...CREDENTIALS, from_the_future: [1] }));
    await mount.write('config', { max_retries: 5, client_id: null });
    expect(await mount.storage.stored('config')).toEqual({
      ...CONFIG,
      ...CREDENTIALS,
      from_the_future: [1],
      max_retries: 5,
      version: 1,
    });
  });

  test('empties a text that is given empty', async () => {
    const mount = new Mount();
    await mount.write('config', { ...CONFIG, ...CREDENTIALS });
    await mount.write('config', { client_secret: '' });
    expect(await mount.read('config')).toMatchObject({ client_id: 'client', client_secret: '' });
  });

  test('that breaks a rule with what is stored changes nothing', async () => {
    const mount = new Mount();
    await mount.write('config', { ...CONFIG, ...CREDENTIALS, rotation_period: 60 });
    await expect(mount.write('config', { rotation_schedule: '0 0 * * SAT', max_retries: 9 })).rejects.toMatchObject({
      field: 'rotation_schedule',
    });
    expect(await mount.read('config')).toMatchObject({ rotation_schedule: '', max_retries: 3 });
  });
});

describe('deleting', () => {
  test('removes the configuration and its credentials, and may be repeated', async () => {
    const mount = new Mount();
    await mount.write('config', { ...CONFIG, ...CREDENTIALS });
    await mount.request('delete', 'config');
    expect(await mount.request('delete', 'config')).toBeUndefined();
    expect(await mount.read('config')).toBeUndefined();
    expect(await mount.storage.stored('config')).toBeUndefined();
  });
});

test('it exists once it is written', async () => {
  const mount = new Mount();
  const exists = () => mount.backend.existenceCheck({ id: 'request-1', operation: 'update', path: 'config' });
  expect(await exists()).toBe(false);
  await mount.write('config', CONFIG);
  expect(await exists()).toBe(true);
});

test.each([
  ['get', 'read', {}],
  ['get', 'update', CONFIG],
  ['put', 'update', CONFIG],
  ['delete', 'delete', {}],
] as const)('a storage that fails to %s makes a %s fail, not lie', async (call, operation, data) => {
  const mount = new Mount();
  mount.storage.failing.add(call);
  await expect(mount.request(operation, 'config', data)).rejects.toMatchObject({ code: 'storage_failed', status: 500 });
});
