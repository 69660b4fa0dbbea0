import { describe, expect, test } from '@jest/globals';
import { createKey, createScene } from '../fake-directory.js';
import { digestOf, padded, signEncoded, tokenWith, withDigest } from './encoded-signature.js';
import type { Padding } from './encoded-signature.js';
import { ALGORITHM } from './paddings/algorithm.js';
import { DIGEST } from './paddings/digest.js';
import { DIGEST_INFO } from './paddings/digest-info.js';
import { IDENTIFIER } from './paddings/identifier.js';
import { PARAMETERS } from './paddings/parameters.js';

// Vectors of Project Wycheproof for RSASSA-PKCS1-v1_5 with SHA-256. Their messages are no tokens, so each deviation is signed anew over
// a token that is right in everything else: only the check of the signature can refuse it.

const key = createKey('first');
const { validate } = createScene(key);

function tokenPadded(encoded: Padding[2], hash = 'sha256'): string {
  return tokenWith(key, (input) => signEncoded(key, padded(withDigest(encoded, digestOf(input, hash)))));
}

test('the encoding of the standard is accepted (R1 to R7)', async () => {
  const token = tokenPadded('3031300d060960864801650304020105000420H');
  await expect(validate(token)).resolves.toHaveProperty('groupOverage', false);
});

describe.each<[string, readonly Padding[]]>([
  ['DigestInfo', DIGEST_INFO],
  ['algorithm', ALGORITHM],
  ['object identifier', IDENTIFIER],
  ['NULL', PARAMETERS],
  ['digest', DIGEST],
])('refuses a signature because of its %s', (_, rows) => {
  test.each(rows)('%s: %s', async (_ids, _deviation, encoded) => {
    await expect(validate(tokenPadded(encoded))).rejects.toMatchObject({ rule: 'token-signature' });
  });
});

/** Another hash function: ids of the vectors that only name it, and that use it too; its name, the digest's prefix for both. */
type OtherHash = readonly [named: string, used: string, hash: string, namedPrefix: string, usedPrefix: string];

describe.each<OtherHash>([
  ['R215', 'R216', 'md5', '3030300c06082a864886f70d020505000420', '3020300c06082a864886f70d020505000410'],
  ['R147', 'R217', 'sha1', '302d300906052b0e03021a05000420', '3021300906052b0e03021a05000414'],
  ['R218', 'R219', 'sha224', '3031300d060960864801650304020405000420', '302d300d06096086480165030402040500041c'],
  ['R220', 'R221', 'sha384', '3031300d060960864801650304020205000420', '3041300d060960864801650304020205000430'],
  ['R222', 'R223', 'sha512', '3031300d060960864801650304020305000420', '3051300d060960864801650304020305000440'],
  ['R224', 'R225', 'sha3-224', '3031300d060960864801650304020705000420', '302d300d06096086480165030402070500041c'],
  ['R226', 'R227', 'sha3-256', '3031300d060960864801650304020805000420', '3031300d060960864801650304020805000420'],
  ['R228', 'R229', 'sha3-384', '3031300d060960864801650304020905000420', '3041300d060960864801650304020905000430'],
  ['R230', 'R231', 'sha3-512', '3031300d060960864801650304020a05000420', '3051300d060960864801650304020a05000440'],
  ['R232', 'R233', 'sha512-224', '3031300d060960864801650304020505000420', '302d300d06096086480165030402050500041c'],
  ['R234', 'R235', 'sha512-256', '3031300d060960864801650304020605000420', '3031300d060960864801650304020605000420'],
])('refuses another hash function', (named, used, hash, namedPrefix, usedPrefix) => {
  test(`${named}: ${hash} is named`, async () => {
    await expect(validate(tokenPadded(`${namedPrefix}H`))).rejects.toMatchObject({ rule: 'token-signature' });
  });

  test(`${used}: ${hash} is used`, async () => {
    await expect(validate(tokenPadded(`${usedPrefix}H`, hash))).rejects.toMatchObject({ rule: 'token-signature' });
  });
});

// A token does not fit where these vectors put their whole message of six bytes: its beginning stands for it.
const head = (input: string, bytes: number): string => Buffer.from(input).subarray(0, bytes).toString('hex');

test.each<[string, string, (input: string) => string]>([
  [
    'R236',
    'a message that is not hashed',
    (input) => padded(`3017300d060960864801650304020105000406${head(input, 6)}`),
  ],
  [
    'R237',
    'a message that is not hashed, as long as a digest',
    (input) => padded(`3031300d060960864801650304020105000420${head(input, 6).padEnd(64, '0')}`),
  ],
  ['R238', 'a digest without its algorithm', (input) => padded(digestOf(input))],
  ['R239', 'a message alone', (input) => padded(head(input, 6))],
  ['R240', 'an ee at the end of the padding', (input) => standard(input).replace('ff00', 'ee00')],
  ['R241', 'nothing but padding', () => `0001${'ff'.repeat(254)}`],
  ['R243', 'a padding that is one byte shorter', (input) => `00${standard(input).replace('ff', '')}`],
])('refuses %s: %s', async (_, _deviation, encode) => {
  const token = tokenWith(key, (input) => signEncoded(key, encode(input)));
  await expect(validate(token)).rejects.toMatchObject({ rule: 'token-signature' });
});

function standard(input: string): string {
  return padded(`3031300d060960864801650304020105000420${digestOf(input)}`);
}
