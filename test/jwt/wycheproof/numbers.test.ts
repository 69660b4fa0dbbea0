import { constants, sign } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { base64url, createKey, createScene } from '../fake-directory.js';
import type { TestKey } from '../fake-directory.js';
import { goodInput } from './encoded-signature.js';

// Vectors of Project Wycheproof (rsa_signature_2048_sha256) in which the signature is an odd number, or of another scheme. Made anew for
// a token that is right in everything else.

const LIMIT = 2n ** 2048n;
const key = keyWithRoomAbove();
const modulus = numberOf(Buffer.from(String(key.jwk['n']), 'base64url'));
const { validate } = createScene(key);
const [input, right] = inputWithSmallSignature();

/** A key whose modulus leaves enough room below 2^2048 that adding it to a signature often gives a number of as many bytes. */
function keyWithRoomAbove(): TestKey {
  for (;;) {
    const made = createKey('first');
    if (Buffer.from(String(made.jwk['n']), 'base64url').readUInt8(0) < 0xd0) return made;
  }
}

/** A token whose signature plus the modulus has as many bytes as the modulus. */
function inputWithSmallSignature(): [string, bigint] {
  for (let attempt = 0; ; attempt++) {
    const text = goodInput(key, { attempt });
    const signature = numberOf(sign('sha256', Buffer.from(text), key.privateKey));
    if (signature + modulus < LIMIT) return [text, signature];
  }
}

function numberOf(bytes: Uint8Array): bigint {
  return BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
}

function bytesOf(number: bigint, length = 256): Buffer {
  return Buffer.from(number.toString(16).padStart(2 * length, '0'), 'hex');
}

function pss(saltLength: number): Buffer {
  return sign('sha256', Buffer.from(input), {
    key: key.privateKey,
    padding: constants.RSA_PKCS1_PSS_PADDING,
    saltLength,
  });
}

test('the signature itself is accepted', async () => {
  await expect(validate(`${input}.${base64url(bytesOf(right))}`)).resolves.toHaveProperty('groupOverage', false);
});

test.each<[string, string, Buffer]>([
  ['R242', 'the message itself, as far as it fits', Buffer.from(input).subarray(0, 6)],
  ['R244', 'the signature plus the modulus', bytesOf(right + modulus)],
  ['R245', 'a number above the modulus', bytesOf((modulus + LIMIT) / 2n)],
  ['R246', 'the modulus moved by two bytes', bytesOf((modulus << 16n) % LIMIT)],
  ['R246', 'the signature and two bytes more', Buffer.concat([bytesOf(right), Buffer.alloc(2)])],
  ['R246', 'two bytes more and the signature', bytesOf(right, 258)],
  ['R248', '0', bytesOf(0n)],
  ['R249', '1', bytesOf(1n)],
  ['R250', '2', bytesOf(2n)],
  ['R251', 'the modulus less one', bytesOf(modulus - 1n)],
  ['R252', 'the modulus', bytesOf(modulus)],
  ['R253', 'the modulus plus one', bytesOf(modulus + 1n)],
  ['R254', '-1', bytesOf(LIMIT - 1n)],
  ['R255', 'a PSS signature without salt', pss(0)],
  ['R256', 'a PSS signature with a salt of 20 bytes', pss(20)],
  ['R257', 'a PSS signature with a salt of 32 bytes', pss(32)],
])('refuses a signature that is %s: %s', async (_, _what, signature) => {
  await expect(validate(`${input}.${base64url(signature)}`)).rejects.toMatchObject({ rule: 'token-signature' });
});

test('refuses an empty signature (R247)', async () => {
  await expect(validate(`${input}.`)).rejects.toMatchObject({ rule: 'token-shape' });
});
