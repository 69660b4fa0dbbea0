import { expect, test } from '@jest/globals';
import { compactVerify } from 'jose';
import type { CryptoKey } from 'jose';
import { readKeySet } from '../../../src/jwt/key-set.js';
import { recordingLogger } from '../../support/logger.js';
import { createKey, createScene, ISSUER_V1, TENANT } from '../fake-directory.js';
import { KEYS, VALID } from './known-answers.js';

// Vectors of Project Wycheproof (json_web_signature) that are valid as they are. What they sign is no set of claims, which the validator
// refuses before it looks at a signature: they are put to what it verifies signatures with.

async function publicKey(name: keyof typeof KEYS): Promise<CryptoKey> {
  const jwk = KEYS[name];
  const issuer = { name: ISSUER_V1, tenantId: TENANT, version: 'v1', keysUrl: '' } as const;
  const keys = await readKeySet({ keys: [jwk] }, issuer, recordingLogger());
  return keys.get(jwk.kid)!.publicKey;
}

/** The token with the first character of one segment changed, or one added where there is none. */
function changed(token: string, segment: number): string {
  const segments = token.split('.');
  const text = segments[segment]!;
  return segments.with(segment, (text.startsWith('X') ? 'Y' : 'X') + text.slice(1)).join('.');
}

test.each(VALID)('%s verifies, and nothing changed in it does: %s', async (_, _what, name, token) => {
  const key = await publicKey(name);
  const verify = (text: string) => compactVerify(text, key, { algorithms: ['RS256'] });
  await expect(verify(token)).resolves.toHaveProperty('protectedHeader.alg', 'RS256');
  for (const segment of [0, 1, 2]) await expect(verify(changed(token, segment))).rejects.toThrow();
});

test.each(VALID)('%s is no login: %s', async (_, _what, name, token) => {
  const { directory, validate } = createScene(createKey('first'));
  directory.published.v1 = [KEYS[name]];
  await expect(validate(token)).rejects.toMatchObject({ rule: 'token-shape' });
});
