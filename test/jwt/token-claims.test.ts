import { describe, expect, test } from '@jest/globals';
import {
  AUDIENCE,
  createKey,
  createScene,
  goodClaims,
  goodHeader,
  ISSUER_V1,
  signRaw,
  TENANT,
  tokenOf,
} from './fake-directory.js';

const key = createKey('first');
const now = Number(goodClaims()['iat']) + 300;
const OTHER_TENANT = '11111111-2222-3333-4444-555555555555';

describe('accepts', () => {
  test('a v1 token, and reads appid', async () => {
    const { validate } = createScene(key);
    const claims = goodClaims();
    expect(await validate(tokenOf(key))).toStrictEqual({
      objectId: claims['oid'],
      applicationId: claims['appid'],
      groupOverage: false,
      expiresAt: claims['exp'],
    });
  });

  test('a v2 token, and reads azp', async () => {
    const { validate } = createScene(key);
    const token = tokenOf(key, { appid: 'not this one' }, {}, 'v2');
    expect((await validate(token)).applicationId).toBe(goodClaims('v2')['azp']);
  });

  test('resource claims and groups', async () => {
    const { validate } = createScene(key);
    const token = tokenOf(key, { xms_az_rid: '/subscriptions/a', xms_mirid: '/subscriptions/b', groups: ['g1', 'g2'] });
    expect(await validate(token)).toMatchObject({
      resourceId: '/subscriptions/a',
      managedIdentityId: '/subscriptions/b',
      groups: ['g1', 'g2'],
      groupOverage: false,
    });
  });

  test.each<[string, Record<string, unknown>]>([
    ['audience in an array', { aud: ['https://other.example', AUDIENCE] }],
    ['audience without its trailing slash', { aud: AUDIENCE.slice(0, -1) }],
    ['no tid', { tid: undefined }],
    ['tid in upper case', { tid: TENANT.toUpperCase() }],
    ['no ver', { ver: undefined }],
    ['no appid', { appid: undefined }],
    ['no nbf and no iat', { nbf: undefined, iat: undefined }],
    ['expired within the tolerance', { exp: now - 29 }],
    ['not yet valid within the tolerance', { nbf: now + 30, iat: now + 30 }],
    ['expiring in the year 9999', { exp: 253_402_300_799 }],
    ['empty groups', { groups: [] }],
  ])('%s', async (_, claims) => {
    const { validate } = createScene(key);
    await expect(validate(tokenOf(key, claims))).resolves.toHaveProperty('objectId', goodClaims()['oid']);
  });

  test.each<[string, boolean, Record<string, unknown>]>([
    ['_claim_names.groups', true, { _claim_names: { groups: 'src1' }, _claim_sources: { src1: {} } }],
    ['hasgroups', true, { hasgroups: true }],
    ['hasgroups as text', false, { hasgroups: 'true' }],
    ['other claim names', false, { _claim_names: { roles: 'src1' } }],
    ['claim names that are text', false, { _claim_names: 'groups' }],
  ])('%s, with group overage %p', async (_, groupOverage, claims) => {
    const { validate } = createScene(key);
    expect((await validate(tokenOf(key, claims))).groupOverage).toBe(groupOverage);
  });

  test('a configured audience without the slash that the token has', async () => {
    const { validate } = createScene(key, { resource: AUDIENCE.slice(0, -1) });
    await expect(validate(tokenOf(key))).resolves.toHaveProperty('groupOverage', false);
  });
});

describe('refuses', () => {
  test.each<[string, string, Record<string, unknown>]>([
    ['the issuer of another tenant', 'token-issuer', { iss: `https://sts.windows.net/${OTHER_TENANT}/` }],
    ['the issuer without its slash', 'token-issuer', { iss: ISSUER_V1.slice(0, -1) }],
    ['the issuer in upper case', 'token-issuer', { iss: ISSUER_V1.toUpperCase() }],
    ['an issuer of version 1 that ends like version 2', 'token-issuer', { iss: `${ISSUER_V1}v2.0` }],
    ['no issuer', 'token-issuer', { iss: undefined }],
    ['an array of issuers', 'token-issuer', { iss: [ISSUER_V1] }],
    ['the tid of another tenant', 'token-tenant', { tid: OTHER_TENANT }],
    ['a tid that is not text', 'token-tenant', { tid: 7 }],
    ['a null tid', 'token-tenant', { tid: null }],
    ['ver 2.0 from the v1 issuer', 'token-version', { ver: '2.0' }],
    ['a numeric ver', 'token-version', { ver: 1 }],
    ['no audience', 'token-audience', { aud: undefined }],
    ['another audience', 'token-audience', { aud: 'https://other.example/' }],
    ['an audience that is longer', 'token-audience', { aud: `${AUDIENCE}x` }],
    ['an audience that is shorter', 'token-audience', { aud: AUDIENCE.slice(0, -3) }],
    ['an audience with two slashes', 'token-audience', { aud: `${AUDIENCE}/` }],
    ['an audience in upper case', 'token-audience', { aud: AUDIENCE.toUpperCase() }],
    ['an empty audience', 'token-audience', { aud: '' }],
    ['an empty array of audiences', 'token-audience', { aud: [] }],
    ['an array with something else beside the audience', 'token-audience', { aud: [AUDIENCE, 1] }],
    ['an array within the array', 'token-audience', { aud: [[AUDIENCE]] }],
    ['an audience object', 'token-audience', { aud: { [AUDIENCE]: true } }],
    ['audiences joined by spaces', 'token-audience', { aud: `${AUDIENCE} https://other.example/` }],
    ['no exp', 'token-expiry', { exp: undefined }],
    ['a null exp', 'token-expiry', { exp: null }],
    ['exp as text', 'token-expiry', { exp: String(now + 60) }],
    ['exp with a fraction', 'token-expiry', { exp: now + 60.5 }],
    ['exp in milliseconds', 'token-expiry', { exp: (now + 60) * 1000 }],
    ['exp beyond safe integers', 'token-expiry', { exp: 2 ** 53 }],
    ['expired', 'token-expiry', { exp: now - 30 }],
    ['negative exp', 'token-expiry', { exp: -1 }],
    ['not yet valid', 'token-not-before', { nbf: now + 31 }],
    ['nbf as text', 'token-not-before', { nbf: '0' }],
    ['a null nbf', 'token-not-before', { nbf: null }],
    ['nbf with a fraction', 'token-not-before', { nbf: 0.5 }],
    ['issued in the future', 'token-issued-at', { iat: now + 31 }],
    ['iat as text', 'token-issued-at', { iat: '0' }],
    ['no oid', 'token-principal', { oid: undefined }],
    ['an empty oid', 'token-principal', { oid: '' }],
    ['an oid that is not text', 'token-principal', { oid: ['x'] }],
    ['an oid with a line break', 'token-principal', { oid: 'a\nb' }],
    ['an oid with half a surrogate pair', 'token-principal', { oid: 'a\ud800' }],
    ['a very long oid', 'token-principal', { oid: 'a'.repeat(257) }],
    ['an appid that is not text', 'token-application', { appid: {} }],
    ['groups as text', 'token-groups', { groups: 'g1' }],
    ['groups with a number', 'token-groups', { groups: ['g1', 2] }],
    ['null groups', 'token-groups', { groups: null }],
    ['xms_az_rid that is not text', 'token-resource', { xms_az_rid: ['/subscriptions/a'] }],
    ['xms_mirid that is not text', 'token-resource', { xms_mirid: 1 }],
  ])('%s (%s)', async (_, rule, claims) => {
    const { validate } = createScene(key);
    await expect(validate(tokenOf(key, claims))).rejects.toMatchObject({ code: 'login_denied', rule });
  });

  test.each<[string, string, Record<string, unknown>]>([
    ['the v1 issuer in a v2 token', 'token-version', { iss: ISSUER_V1 }],
    ['ver 1.0 from the v2 issuer', 'token-version', { ver: '1.0' }],
    ['an azp that is not text', 'token-application', { azp: 1 }],
  ])('%s (%s)', async (_, rule, claims) => {
    const { validate } = createScene(key);
    await expect(validate(tokenOf(key, claims, {}, 'v2'))).rejects.toMatchObject({ code: 'login_denied', rule });
  });

  test('claims that only a prototype would have', async () => {
    const { validate } = createScene(key);
    const { oid, ...rest } = goodClaims();
    const payload = `${JSON.stringify(rest).slice(0, -1)},"__proto__":{"oid":${JSON.stringify(oid)}}}`;
    await expect(validate(signRaw(JSON.stringify(goodHeader(key)), payload, key))).rejects.toMatchObject({
      rule: 'token-principal',
    });
  });

  test('claims that the prototype of all objects has', async () => {
    const { validate } = createScene(key);
    Object.defineProperty(Object.prototype, 'oid', { value: 'everyone', configurable: true });
    try {
      await expect(validate(tokenOf(key, { oid: undefined }))).rejects.toMatchObject({ rule: 'token-principal' });
    } finally {
      Reflect.deleteProperty(Object.prototype, 'oid');
    }
  });

  test('a recognised token once it has expired', async () => {
    const { validate, clock } = createScene(key);
    const token = tokenOf(key, { exp: now + 60 });
    await validate(token);
    clock.advance(89_000);
    await validate(token);
    clock.advance(1_000);
    await expect(validate(token)).rejects.toMatchObject({ rule: 'token-expiry' });
  });
});

test('an error shows the audience, quoted and bounded, and nothing else of the token', async () => {
  const { validate } = createScene(key);
  const token = tokenOf(key, { aud: `"\n${'canary-'.repeat(100)}` });
  const error: unknown = await validate(token).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(Error);
  const { message } = error as Error;
  expect(message).toContain('"\\"\\n');
  expect(message.length).toBeLessThan(300);
  expect(message).not.toContain(token.slice(0, 10));
});

test('configurations do not share tokens, keys or audiences', async () => {
  const { validator, validate, configuration, directory } = createScene(key);
  await validate(tokenOf(key));
  const other = { ...configuration, resource: 'https://other.example' };
  await expect(validator.validate(tokenOf(key), other, new AbortController().signal)).rejects.toMatchObject({
    rule: 'token-audience',
  });
  expect(directory.keyFetches()).toBe(2);
});
