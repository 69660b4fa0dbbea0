import { constants, createHash, privateEncrypt } from 'node:crypto';
import { base64url, goodClaims, goodHeader } from '../fake-directory.js';
import type { TestKey } from '../fake-directory.js';

/**
 * A signature that deviates in what is padded and signed: ids of vectors, the deviation, and the encoding in hexadecimal, where `H`
 * (or the argument) stands for the digest of the token.
 *
 * Ids begin with the file of Project Wycheproof that they are from: R for `rsa_signature_2048_sha256`, J for `json_web_signature`.
 */
export type Padding = readonly [ids: string, deviation: string, encoded: string | ((digest: string) => string)];

/** The encoding with its digest put in. */
export function withDigest(encoded: Padding[2], digest: string): string {
  return typeof encoded === 'function' ? encoded(digest) : encoded.replaceAll('H', digest);
}

/** `00 01 ff ... ff 00` and the rest, as long as a modulus of 2048 bits. */
export function padded(rest: string): string {
  return `0001${'ff'.repeat(253 - rest.length / 2)}00${rest}`;
}

/** The signature whose verification comes to this encoded message: the private operation alone, without digest or padding. */
export function signEncoded(key: TestKey, encoded: string): Buffer {
  return privateEncrypt({ key: key.privateKey, padding: constants.RSA_NO_PADDING }, Buffer.from(encoded, 'hex'));
}

/** Digest of a text in hexadecimal. */
export function digestOf(text: string, algorithm = 'sha256'): string {
  return createHash(algorithm).update(text).digest('hex');
}

/** Header and claims of a token that passes every other rule, ready for a signature. */
export function goodInput(key: TestKey, claims: Record<string, unknown> = {}): string {
  return `${base64url(JSON.stringify(goodHeader(key)))}.${base64url(JSON.stringify({ ...goodClaims(), ...claims }))}`;
}

/** A token that passes every other rule, with a signature made for it. */
export function tokenWith(key: TestKey, sign: (input: string) => Uint8Array): string {
  const input = goodInput(key);
  return `${input}.${base64url(sign(input))}`;
}
