import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { createKey, createScene, tokenOf } from './fake-directory.js';
import type { Scene } from './fake-directory.js';

const key = createKey('first');
const other = createKey('other');

function publishing(...entries: unknown[]): Scene {
  const scene = createScene(key);
  scene.directory.published.v1 = entries;
  return scene;
}

describe('takes a key', () => {
  test.each<[string, Record<string, unknown>]>([
    ['for signatures', { use: 'sig' }],
    ['without a use', { use: undefined }],
    ['for RS256', { alg: 'RS256' }],
    ['with a certificate that nobody looks at', { x5c: ['AAAA'], x5t: 'AAAA', issuer: 'https://elsewhere.example' }],
  ])('%s', async (_, change) => {
    await expect(publishing({ ...key.jwk, ...change }).validate(tokenOf(key))).resolves.toHaveProperty('objectId');
  });

  test('that is listed twice', async () => {
    await expect(publishing(key.jwk, key.jwk).validate(tokenOf(key))).resolves.toHaveProperty('objectId');
  });
});

describe('skips a key', () => {
  const small = createKey('first', 1024);
  const elliptic = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' });

  test.each<[string, unknown]>([
    ['for encryption', { ...key.jwk, use: 'enc' }],
    ['for another algorithm', { ...key.jwk, alg: 'RS512' }],
    ['of 1024 bits', small.jwk],
    ['on a curve', { ...elliptic, kid: key.kid }],
    ['that is symmetric', { kty: 'oct', k: key.jwk['n'], kid: key.kid }],
    ['without an id', { ...key.jwk, kid: undefined }],
    ['with a numeric id', { ...key.jwk, kid: 1 }],
    ['with an empty id', { ...key.jwk, kid: '' }],
    ['without a modulus', { ...key.jwk, n: undefined }],
    ['with a modulus that is not base64url', { ...key.jwk, n: '!' }],
    ['without an exponent', { ...key.jwk, e: undefined }],
    ['that is text', 'first'],
    ['that is null', null],
  ])('%s, and uses the others', async (_, entry) => {
    const scene = publishing(entry, other.jwk);
    await expect(scene.validate(tokenOf(other))).resolves.toHaveProperty('objectId');
    await expect(scene.validate(tokenOf(key))).rejects.toMatchObject({ rule: 'token-key' });
  });

  test('whose token was signed with 1024 bits', async () => {
    const scene = publishing(small.jwk, other.jwk);
    await expect(scene.validate(tokenOf(small))).rejects.toMatchObject({ rule: 'token-key' });
  });

  test('whose id another key claims too, both ways round, with a warning', async () => {
    const twin = { ...other.jwk, kid: key.kid };
    for (const entries of [
      [key.jwk, twin, other.jwk],
      [twin, key.jwk, other.jwk],
    ]) {
      const scene = publishing(...entries);
      await scene.validate(tokenOf(other));
      await expect(scene.validate(tokenOf(key))).rejects.toMatchObject({ rule: 'token-key' });
      expect(scene.logger.lines[0]).toMatchObject({ level: 'warn', fields: { kid: key.kid } });
    }
  });

  test('beyond the hundredth, with a warning', async () => {
    const filler = Array.from({ length: 100 }, (_, i) => ({ ...other.jwk, kid: `filler-${i}` }));
    const scene = publishing(...filler, key.jwk);
    await expect(scene.validate(tokenOf(key))).rejects.toMatchObject({ rule: 'token-key' });
    expect(scene.logger.lines).toMatchObject([{ level: 'warn', fields: { keys: 101 } }]);
  });
});
