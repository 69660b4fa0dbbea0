import { describe, expect, test } from '@jest/globals';
import type { CloudConfiguration } from '../../src/contract/index.js';
import { refused } from '../support/refused.js';
import { CONFIG, Mount, OBJECT, TENANT } from './mount.js';

const SECRET = 'canary-client-secret';

/** The configuration that a login works with. */
async function inForce(mount: Mount): Promise<CloudConfiguration | undefined> {
  await mount.write('role/dev', { bound_service_principal_ids: OBJECT });
  await mount.login({ role: 'dev', jwt: 'canary-jwt' });
  return mount.validator.calls.at(-1)?.configuration;
}

describe.each([
  ['cloud', 'CLOUD_'],
  ['vault', 'AZURE_'],
] as const)('environment variables of the dialect %s', (dialect, prefix) => {
  const env = {
    [`${prefix}TENANT_ID`]: TENANT,
    [`${prefix}AD_RESOURCE`]: 'api://env',
    [`${prefix}ENVIRONMENT`]: 'AzureChinaCloud',
    [`${prefix}CLIENT_ID`]: 'env-client',
    [`${prefix}CLIENT_SECRET`]: SECRET,
  };

  test('make a configuration without a stored one', async () => {
    const expected = { tenantId: TENANT, resource: 'api://env', clientId: 'env-client', clientSecret: SECRET };
    const configuration = await inForce(new Mount({ env, dialect }));
    expect(configuration).toMatchObject({ ...expected, environment: { name: 'CloudChinaCloud' } });
  });

  test('lose against every stored field, and fill in for those that are empty', async () => {
    const mount = new Mount({ env, dialect });
    await mount.write('config', {
      ...CONFIG,
      environment: 'CloudGermanCloud',
      client_id: 'stored-client',
      client_secret: '',
    });
    expect(await inForce(mount)).toMatchObject({
      tenantId: CONFIG.tenant_id,
      resource: CONFIG.resource,
      clientId: 'stored-client',
      clientSecret: SECRET,
      environment: { name: 'CloudGermanCloud' },
    });
  });

  test('meet what a write requires, without being stored', async () => {
    const mount = new Mount({ env, dialect });
    await mount.write('config', { max_retries: 1 });
    expect(await mount.storage.stored('config')).toEqual({ max_retries: 1, version: 1 });
  });

  test('of the other dialect do not count', async () => {
    const mount = new Mount({ env, dialect: dialect === 'cloud' ? 'vault' : 'cloud' });
    await expect(inForce(mount)).rejects.toMatchObject(
      refused('not_configured', 'the method is not configured: tenant_id is missing or unknown'),
    );
  });

  test('that supply a secret lose against federation in the configuration', async () => {
    const mount = new Mount({ env, dialect });
    await mount.write('config', { ...CONFIG, client_id: 'client', identity_token_audience: 'api://federation' });
    expect(await inForce(mount)).not.toHaveProperty('clientSecret');
  });

  test('that name an unknown environment are refused at a write, by the field’s name', async () => {
    const mount = new Mount({ env: { ...env, [`${prefix}ENVIRONMENT`]: 'Moon' }, dialect });
    await expect(mount.write('config', CONFIG)).rejects.toMatchObject(
      refused(
        'invalid_request',
        /^environment: got "Moon"; takes one of CloudPublicCloud, AzurePublicCloud, /,
        'environment',
      ),
    );
    await expect(inForce(mount)).rejects.toMatchObject({ code: 'not_configured' });
  });
});

describe('the configuration in force', () => {
  test('has the defaults of the spec', async () => {
    const mount = new Mount();
    await mount.write('config', CONFIG);
    expect(await inForce(mount)).toEqual({
      tenantId: TENANT,
      resource: CONFIG.resource,
      environment: expect.objectContaining({ name: 'CloudPublicCloud' }),
      maxAttempts: 3,
      retryDelay: 4,
      maxRetryDelay: 60,
    });
  });

  test('makes at least one attempt', async () => {
    const mount = new Mount();
    await mount.write('config', { ...CONFIG, max_retries: 0, retry_delay: '250ms', max_retry_delay: 1 });
    expect(await inForce(mount)).toMatchObject({ maxAttempts: 1, retryDelay: 0.25, maxRetryDelay: 1 });
  });

  test('is the same object until it changes, and another one afterwards', async () => {
    const mount = new Mount();
    await mount.write('config', CONFIG);
    const first = await inForce(mount);
    expect(await inForce(mount)).toBe(first);
    await mount.write('config', { resource: 'api://other' });
    const second = await inForce(mount);
    expect(second).not.toBe(first);
    expect(second).toMatchObject({ resource: 'api://other' });
  });

  test('stays the same object when a host without invalidations reads an unchanged record again', async () => {
    const mount = new Mount({ system: { sendsInvalidations: false } });
    await mount.write('config', CONFIG);
    const first = await inForce(mount);
    mount.clock.advance(60_000);
    expect(await inForce(mount)).toBe(first);
    await mount.storage.plant('config', JSON.stringify({ ...CONFIG, resource: 'api://elsewhere' }));
    mount.clock.advance(60_000);
    expect(await inForce(mount)).toMatchObject({ resource: 'api://elsewhere' });
  });

  test('follows an invalidation', async () => {
    const mount = new Mount();
    await mount.write('config', CONFIG);
    await inForce(mount);
    await mount.storage.plant('config', JSON.stringify({ ...CONFIG, resource: 'api://elsewhere' }));
    mount.backend.invalidate('config');
    expect(await inForce(mount)).toMatchObject({ resource: 'api://elsewhere' });
  });

  test('is gone when it is deleted', async () => {
    const mount = new Mount();
    await mount.write('config', CONFIG);
    await inForce(mount);
    await mount.request('delete', 'config');
    await expect(inForce(mount)).rejects.toMatchObject({ code: 'not_configured', status: 400 });
  });
});
