import { createHash, generateKeyPair } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import { CompactSign } from 'jose';
import type { CompactJWSHeaderParameters, JWK } from 'jose';

const generate = promisify(generateKeyPair);

/** A key that the directory signs tokens with. */
export interface SigningKey {
  readonly kid: string;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
  /** As published in the key sets. */
  readonly jwk: JWK;
}

/** The directory's keys: one signs, and those before it stay published until they are retired. */
export class SigningKeys {
  #published: readonly [SigningKey, ...SigningKey[]];

  private constructor(first: SigningKey) {
    this.#published = [first];
  }

  static async create(): Promise<SigningKeys> {
    return new SigningKeys(await generateSigningKey());
  }

  /** Published keys; the first one signs. */
  get published(): readonly [SigningKey, ...SigningKey[]] {
    return this.#published;
  }

  async rollover(): Promise<SigningKey> {
    const key = await generateSigningKey();
    this.#published = [key, ...this.#published];
    return key;
  }

  retireOld(): void {
    this.#published = [this.#published[0]];
  }

  /** Signs any claims, however odd, with the newest key. */
  sign(claims: Readonly<Record<string, unknown>>, header: Readonly<Record<string, unknown>> = {}): Promise<string> {
    const [{ kid, privateKey }] = this.#published;
    const protectedHeader: CompactJWSHeaderParameters = { typ: 'JWT', alg: 'RS256', x5t: kid, kid, ...header };
    return new CompactSign(Buffer.from(JSON.stringify(claims))).setProtectedHeader(protectedHeader).sign(privateKey);
  }
}

async function generateSigningKey(): Promise<SigningKey> {
  const { privateKey, publicKey } = await generate('rsa', { modulusLength: 2048 });
  const { n = '', e = '' } = publicKey.export({ format: 'jwk' });
  // Real key ids are SHA-1 thumbprints of certificates; clients only see that they are 20 bytes.
  const kid = createHash('sha1').update(n).digest('base64url');
  return { kid, privateKey, publicKey, jwk: { kty: 'RSA', use: 'sig', kid, x5t: kid, n, e } };
}
