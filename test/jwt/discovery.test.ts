import { describe, expect, test } from '@jest/globals';
import { createKey, createScene, ISSUER_V1, ISSUER_V2, TENANT, tokenOf } from './fake-directory.js';

const key = createKey('first');
const OTHER_TENANT = '11111111-2222-3333-4444-555555555555';
const KEYS_URL = 'https://authority.example/keys/v1';

test('asks the tenant of the configuration for its two issuers, with the trust of its environment', async () => {
  const { validator, configuration, directory } = createScene(key);
  const trusting = { ...configuration, environment: { ...configuration.environment, ca: 'PEM' } };
  const { signal } = new AbortController();
  await validator.validate(tokenOf(key), trusting, signal);
  await validator.validate(tokenOf(key, {}, {}, 'v2'), trusting, signal);
  expect(directory.requests.map(({ method, url, ca }) => [method, url, ca])).toStrictEqual([
    ['GET', `https://authority.example/${TENANT}/.well-known/openid-configuration`, 'PEM'],
    ['GET', 'https://authority.example/keys/v1', 'PEM'],
    ['GET', `https://authority.example/${TENANT}/v2.0/.well-known/openid-configuration`, 'PEM'],
    ['GET', 'https://authority.example/keys/v2', 'PEM'],
  ]);
});

test('a tenant configured in upper case is the same tenant', async () => {
  const { validate } = createScene(key, { tenantId: TENANT.toUpperCase() });
  await expect(validate(tokenOf(key))).resolves.toHaveProperty('objectId');
});

test('a tenant configured by domain is the one that the issuer names', async () => {
  const { validate, directory } = createScene(key, { tenantId: 'contoso.example' });
  await expect(validate(tokenOf(key))).resolves.toHaveProperty('objectId');
  await expect(validate(tokenOf(key, { tid: OTHER_TENANT }))).rejects.toMatchObject({ rule: 'token-tenant' });
  expect(directory.requests[0]?.url).toBe('https://authority.example/contoso.example/.well-known/openid-configuration');
});

test('a tenant cannot lead to another host or path', async () => {
  const { validate, directory } = createScene(key, { tenantId: 'a/../../b?c#d@e' });
  await validate(tokenOf(key));
  expect(directory.requests[0]?.url).toBe(
    'https://authority.example/a%2F..%2F..%2Fb%3Fc%23d%40e/.well-known/openid-configuration',
  );
});

describe('refuses to use a discovery document with', () => {
  test.each<[string, unknown]>([
    ['no issuer', { jwks_uri: KEYS_URL }],
    ['an issuer that is not text', { issuer: [ISSUER_V1], jwks_uri: KEYS_URL }],
    ['an issuer that is no URL', { issuer: TENANT, jwks_uri: KEYS_URL }],
    ['an http issuer', { issuer: ISSUER_V1.replace('https', 'http'), jwks_uri: KEYS_URL }],
    ['the issuer of another tenant', { issuer: `https://sts.windows.net/${OTHER_TENANT}/`, jwks_uri: KEYS_URL }],
    ['the tenant in the host only', { issuer: `https://${TENANT}.example/`, jwks_uri: KEYS_URL }],
    ['the tenant in the query only', { issuer: `https://sts.example/?t=${TENANT}`, jwks_uri: KEYS_URL }],
    ['the tenant as part of a segment', { issuer: `https://sts.example/x${TENANT}/`, jwks_uri: KEYS_URL }],
    ['two tenants', { issuer: `${ISSUER_V1}${OTHER_TENANT}/`, jwks_uri: KEYS_URL }],
    ['the issuer of all tenants', { issuer: 'https://sts.windows.net/{tenantid}/', jwks_uri: KEYS_URL }],
    ['the issuer of the other version', { issuer: ISSUER_V2, jwks_uri: KEYS_URL }],
    ['no key set', { issuer: ISSUER_V1 }],
    ['a key set over http', { issuer: ISSUER_V1, jwks_uri: KEYS_URL.replace('https', 'http') }],
    ['a key set in a file', { issuer: ISSUER_V1, jwks_uri: 'file:///keys.json' }],
  ])('%s', async (_, document) => {
    const { validate, directory, logger } = createScene(key);
    directory.discovery.v1 = document;
    await expect(validate(tokenOf(key))).rejects.toMatchObject({ code: 'provider_unavailable' });
    expect(directory.keyFetches()).toBe(0);
    expect(logger.lines).toHaveLength(1);
  });

  test('the issuer of all tenants, where the tenant is configured by domain', async () => {
    const { validate, directory } = createScene(key, { tenantId: 'common' });
    directory.discovery.v1 = { issuer: 'https://sts.windows.net/{tenantid}/', jwks_uri: KEYS_URL };
    await expect(validate(tokenOf(key))).rejects.toMatchObject({ code: 'provider_unavailable' });
  });
});
