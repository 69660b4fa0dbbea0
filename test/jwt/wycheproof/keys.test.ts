import { createSecretKey, generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { createKey, createScene, jsonAnswer, tokenOf } from '../fake-directory.js';
import type { TestKey } from '../fake-directory.js';

// Vectors of Project Wycheproof that are about keys, as far as they mean something for RS256. Ids begin with K for `json_web_key`, J for
// `json_web_signature`. The key set is the directory's answer, the token is signed with the key that the set holds.

const key = createKey('first');
const other = createKey('first');
const small = createKey('first', 1024);
const own = { ...key.jwk, alg: 'RS256' };
const symmetric = { ...createSecretKey(Buffer.alloc(32, 7)).export({ format: 'jwk' }), kid: 'first', use: 'sig' };
const elliptic = {
  ...generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' }),
  kid: 'first',
  use: 'sig',
  alg: 'ES256',
};

/** What comes of a token under a directory that publishes these keys. */
async function outcome(published: readonly unknown[], signer: TestKey = key): Promise<string> {
  const { directory, validate } = createScene(key);
  directory.intercept = ({ url }) =>
    url.endsWith('/keys/v1') ? Promise.resolve(jsonAnswer({ keys: published })) : undefined;
  return validate(tokenOf(signer)).then(
    () => 'accepted',
    (error: unknown) => (error as { rule?: string; code: string }).rule ?? (error as { code: string }).code,
  );
}

test.each<[string, string, readonly unknown[]]>([
  ['K5', 'its own', [own]],
  ['J349', 'one that names its operation', [{ ...own, use: undefined, key_ops: ['verify'] }]],
  ['K2', 'its own beside another', [own, { ...other.jwk, kid: 'second' }]],
])('a token verifies with the key %s: %s', async (_, _what, published) => {
  expect(await outcome(published)).toBe('accepted');
});

describe('no key at all counts, so that nothing can be verified', () => {
  test.each<[string, string, readonly unknown[]]>([
    ['K1', 'a symmetric key among others', [symmetric, elliptic]],
    ['K4', 'two keys of one id', [own, { ...other.jwk, alg: 'RS256' }]],
    ['K6', 'a key for encryption', [{ ...own, use: 'enc', alg: 'RSA1_5' }]],
    ['J353', 'a key for encryption that names no algorithm', [{ ...own, use: 'enc', alg: undefined }]],
    ['K8', 'a key of 1024 bits', [{ ...small.jwk, alg: 'RS256' }]],
    [
      'J355',
      'a key for the operation of encrypting',
      [{ ...own, use: undefined, alg: undefined, key_ops: ['encrypt'] }],
    ],
    ['K9', 'a key with the exponent 1', [{ ...own, e: 'AQ' }]],
    ['K19', 'a key of an algorithm that does not exist', [{ ...own, alg: 'RS224' }]],
    ['J332', 'a key for PS512', [{ ...own, alg: 'PS512' }]],
    ['K24', 'an elliptic key that says it is RSA', [{ ...elliptic, kty: 'RSA' }]],
    ['K24', 'an RSA key that says it is elliptic', [{ ...own, kty: 'EC' }]],
    ['K16', 'an empty key', [{ ...own, n: '' }]],
    ['K25', 'a key of a cipher', [{ ...symmetric, alg: 'A256GCM' }]],
  ])('%s: %s', async (_, _what, published) => {
    expect(await outcome(published)).toBe('provider_unavailable');
  });
});

test.each<[string, string, readonly unknown[]]>([
  ['K4', 'two keys of its id beside another', [own, other.jwk, { ...other.jwk, kid: 'second' }]],
  [
    'K6',
    'a key for encryption beside another',
    [
      { ...own, use: 'enc' },
      { ...other.jwk, kid: 'second' },
    ],
  ],
])('a key that does not count is unknown, %s: %s', async (_, _what, published) => {
  expect(await outcome(published)).toBe('token-key');
});

test('a 1024-bit key beside a good one of another id is unknown (K8)', async () => {
  expect(await outcome([small.jwk, { ...other.jwk, kid: 'second' }], small)).toBe('token-key');
});

test('a token of the wrong key is refused by its signature (K3)', async () => {
  expect(await outcome([own], other)).toBe('token-signature');
});
