import { describe, expect, test } from '@jest/globals';
import { CONFIG, Mount, TENANT } from './mount.js';

const CLIENT = '77777777-7777-7777-7777-777777777777';
const CREDENTIALS = { client_id: CLIENT, client_secret: 'canary-first' };
const CREDENTIAL = {
  tenantId: TENANT,
  environment: 'CloudPublicCloud',
  clientId: CLIENT,
  clientSecret: 'canary-first',
};

async function configured(
  fields: object = CREDENTIALS,
  options?: ConstructorParameters<typeof Mount>[0],
): Promise<Mount> {
  const mount = new Mount(options);
  await mount.write('config', { ...CONFIG, ...fields });
  return mount;
}

describe('the credential that root rotation replaces', () => {
  test('is the stored one', async () => {
    const { rotation } = await configured();
    expect(await rotation.root.credential()).toEqual(CREDENTIAL);
  });

  test.each<[string, object, string]>([
    ['no client id', { client_secret: 'canary-first' }, 'client_id'],
    ['no client secret', { client_id: CLIENT }, 'client_secret'],
    ['federation', { client_id: CLIENT, identity_token_audience: 'api://exchange' }, 'identity_token_audience'],
    ['another kind of credential', { ...CREDENTIALS, auth_type: 'msi' }, 'auth_type'],
  ])('is refused with %s', async (_, fields, field) => {
    const { rotation } = await configured(fields);
    await expect(rotation.root.credential()).rejects.toMatchObject({ code: 'invalid_request', field });
  });

  test('is refused where there is no configuration', async () => {
    await expect(new Mount().rotation.root.credential()).rejects.toMatchObject({ code: 'invalid_request' });
  });

  test('is refused when only environment variables hold it', async () => {
    const env = { CLOUD_CLIENT_ID: CLIENT, CLOUD_CLIENT_SECRET: 'canary-variable' };
    const { rotation } = await configured({}, { env });
    await expect(rotation.root.credential()).rejects.toMatchObject({ field: 'client_id' });
  });
});

describe('another client secret', () => {
  test('takes the place of the given one and of nothing else', async () => {
    const mount = await configured({ ...CREDENTIALS, max_retries: 7 });
    expect(await mount.rotation.root.replaceSecret(CREDENTIAL, 'canary-second')).toBe(true);
    expect(await mount.read('config')).toMatchObject({ client_secret: 'canary-second', max_retries: 7 });
    await expect(mount.rotation.root.credential()).resolves.toMatchObject({ clientSecret: 'canary-second' });
  });

  test.each<[string, object]>([
    ['secret', { client_secret: 'canary-operator' }],
    ['application', { client_id: 'other' }],
    ['tenant', { tenant_id: 'other.example.com' }],
    ['environment', { environment: 'CloudChinaCloud' }],
  ])('is not stored once an operator has given another %s', async (_, fields) => {
    const mount = await configured();
    await mount.write('config', fields);
    const before = await mount.read('config');
    expect(await mount.rotation.root.replaceSecret(CREDENTIAL, 'canary-second')).toBe(false);
    expect(await mount.read('config')).toEqual(before);
  });

  test('is not stored once the configuration is gone', async () => {
    const mount = await configured();
    await mount.request('delete', 'config');
    expect(await mount.rotation.root.replaceSecret(CREDENTIAL, 'canary-second')).toBe(false);
    expect(await mount.read('config')).toBeUndefined();
  });

  test('that cannot be written is an error', async () => {
    const mount = await configured();
    mount.storage.failing.add('put');
    await expect(mount.rotation.root.replaceSecret(CREDENTIAL, 'canary-second')).rejects.toMatchObject({
      code: 'storage_failed',
    });
  });
});

describe('the configuration with a credential', () => {
  test('is the one in force when that is its own', async () => {
    const mount = await configured();
    const configuration = await mount.rotation.root.withCredential(CREDENTIAL);
    expect(configuration).toMatchObject({ clientId: CLIENT, clientSecret: 'canary-first', maxAttempts: 3 });
    expect(await mount.rotation.root.withCredential(CREDENTIAL)).toBe(configuration);
  });

  test('has the credential in the place of its own, and is the same object for the same', async () => {
    const { rotation } = await configured({ ...CREDENTIALS, max_retries: 7 });
    const other = { ...CREDENTIAL, clientSecret: 'canary-second' };
    const configuration = await rotation.root.withCredential(other);
    expect(configuration).toMatchObject({ tenantId: TENANT, clientSecret: 'canary-second', maxAttempts: 7 });
    expect(await rotation.root.withCredential({ ...other })).toBe(configuration);
  });

  test('is to be had after the configuration is gone, and when it federates', async () => {
    const mount = await configured();
    await mount.write('config', { client_secret: '', identity_token_audience: 'api://exchange' });
    const federating = await mount.rotation.root.withCredential(CREDENTIAL);
    expect(federating).toMatchObject({ clientSecret: 'canary-first', credentialKind: 'root_creds' });
    expect(federating).not.toHaveProperty('identityToken');
    await mount.request('delete', 'config');
    expect(await mount.rotation.root.withCredential(CREDENTIAL)).toMatchObject({ tenantId: TENANT });
  });

  test('is refused for an environment that is no longer known', async () => {
    const { rotation } = await configured();
    const gone = { ...CREDENTIAL, environment: 'Gone' };
    await expect(rotation.root.withCredential(gone)).rejects.toMatchObject({ code: 'not_configured' });
  });
});

describe('the schedule of rotations', () => {
  test('is what the configuration says, since it says so', async () => {
    const mount = await configured({ ...CREDENTIALS, rotation_schedule: '0 0 * * SAT', rotation_window: 60 });
    const since = mount.clock.now();
    mount.clock.advance(1_000);
    await mount.write('config', { max_retries: 2, rotation_schedule: '0 0 * * SAT' });
    const schedule = await mount.rotation.root.schedule();
    expect(schedule).toMatchObject({ period: 0, expression: '0 0 * * SAT', window: 60, since });
    const saturday = Date.UTC(2026, 0, 3);
    expect(schedule?.next(since)).toBe(saturday);
    expect(schedule?.next(saturday)).toBe(saturday + 7 * 86_400_000);
  });

  test('begins anew when it changes or is taken up again', async () => {
    const mount = await configured({ ...CREDENTIALS, rotation_period: 3_600 });
    mount.clock.advance(1_000);
    await mount.write('config', { rotation_period: 7_200 });
    expect(await mount.rotation.root.schedule()).toMatchObject({ period: 7_200, since: mount.clock.now() });
    await mount.write('config', { disable_automated_rotation: true });
    expect(await mount.rotation.root.schedule()).toBeUndefined();
    mount.clock.advance(1_000);
    await mount.write('config', { disable_automated_rotation: false });
    expect(await mount.rotation.root.schedule()).toMatchObject({ since: mount.clock.now() });
  });

  test('is none without one', async () => {
    expect(await (await configured()).rotation.root.schedule()).toBeUndefined();
    expect(await new Mount().rotation.root.schedule()).toBeUndefined();
  });

  test('comes with the lifetime of new secrets', async () => {
    expect(await (await configured()).rotation.root.secretTtl()).toBe(4_380 * 3_600);
    const mount = await configured({ ...CREDENTIALS, root_password_ttl: '2160h' });
    expect(await mount.rotation.root.secretTtl()).toBe(2_160 * 3_600);
  });
});

describe('changes of the configuration', () => {
  test.each<[string, object, boolean]>([
    ['another secret', { client_secret: 'canary-other' }, true],
    ['another application', { client_id: 'other' }, true],
    ['another tenant', { tenant_id: 'other.example.com' }, true],
    ['another environment', { environment: 'CloudChinaCloud' }, true],
    ['federation', { client_secret: '', identity_token_audience: 'api://exchange' }, true],
    ['the same credentials again', { ...CONFIG, ...CREDENTIALS }, false],
    ['something else', { max_retries: 1, retry_delay: 1 }, false],
  ])('%s: other credentials: %s', async (_, fields, expected) => {
    const mount = await configured();
    await mount.write('config', fields);
    expect(mount.rotation.changes.at(-1)).toBe(expected);
  });

  test('that are refused do not get as far as to cancel a rotation', async () => {
    const mount = await configured();
    const before = mount.rotation.changes.length;
    const change = mount.write('config', { client_secret: 'canary-other', rotation_period: 60, rotation_window: 5 });
    await expect(change).rejects.toMatchObject({ code: 'invalid_request', field: 'rotation_window' });
    expect(mount.rotation.changes).toHaveLength(before);
  });

  test('a delete takes the credentials away', async () => {
    const mount = await configured();
    await mount.request('delete', 'config');
    expect(mount.rotation.changes.at(-1)).toBe(true);
  });
});

describe('rotate-root', () => {
  test('has nothing to say when it is done, and a warning while it goes on', async () => {
    const mount = await configured();
    expect(await mount.write('rotate-root', {})).toBeUndefined();
    mount.rotation.outcome = 'pending';
    expect((await mount.write('rotate-root', {}))?.warnings?.[0]).toContain('in the background');
  });

  test('takes no other operation and refuses what the manager refuses', async () => {
    const mount = await configured();
    await expect(mount.request('delete', 'rotate-root')).rejects.toMatchObject({ code: 'unsupported_operation' });
    mount.rotation.outcome = new Error('a bug');
    await expect(mount.write('rotate-root', {})).rejects.toThrow('a bug');
  });

  test('shows in reads of the configuration when it last and next happens', async () => {
    const mount = await configured();
    expect(Object.keys((await mount.read('config')) ?? {})).not.toContain('last_rotation_time');
    mount.rotation.known = {
      cleanUps: 0,
      lastRotation: Date.UTC(2026, 0, 1),
      nextRotation: Date.UTC(2026, 1, 1),
      secretExpiration: Date.UTC(2026, 6, 1),
    };
    expect(await mount.read('config')).toMatchObject({
      last_rotation_time: '2026-01-01T00:00:00.000Z',
      next_rotation_time: '2026-02-01T00:00:00.000Z',
      root_password_expiration_date: '2026-07-01T00:00:00.000Z',
    });
  });

  test('says where it stands', async () => {
    const mount = await configured();
    expect(await mount.read('rotate-root')).toEqual({ state: 'idle', clean_ups: 0 });
    const attempt = 'cloud-identity-auth-1';
    const open = { state: 'pending', attempt, startedAt: Date.UTC(2026, 0, 1) } as const;
    mount.rotation.known = { open, cleanUps: 2, lastRotation: Date.UTC(2025, 0, 1) };
    expect(await mount.read('rotate-root')).toEqual({
      state: 'pending',
      attempt,
      started_at: '2026-01-01T00:00:00.000Z',
      clean_ups: 2,
      last_rotation_time: '2025-01-01T00:00:00.000Z',
    });
  });

  test('recovers at the start, is driven by the tick and ends with the mount', async () => {
    const { backend, rotation } = await configured();
    await backend.initialize();
    await backend.periodic(42);
    await backend.cleanup();
    expect([rotation.recoveries, rotation.ticks, rotation.closed]).toEqual([1, [42], 1]);
  });
});
