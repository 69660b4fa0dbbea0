import { randomBytes } from 'node:crypto';
import { CompactEncrypt, compactDecrypt } from 'jose';
import type { Clock } from '../../contract/index.js';
import { isExpired } from './token-record.js';
import type { TokenRecord } from './token-record.js';

const PREFIX = 'b.';

/** Characters that a token may have. Longer texts are not tried: a caller without a token chooses them. */
export const MAX_TOKEN_LENGTH = 16_384;

/**
 * Batch tokens: the record itself, sealed with a key that only this process has. Nothing is stored, so they cannot be renewed
 * or revoked, count no uses, and end with the process.
 */
export class BatchTokens {
  readonly #clock: Clock;
  readonly #key = randomBytes(32);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Makes the token of a record. */
  async create(record: TokenRecord): Promise<string> {
    const sealed = await new CompactEncrypt(Buffer.from(JSON.stringify(record)))
      .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
      .encrypt(this.#key);
    return PREFIX + sealed;
  }

  /** The record of a token of this process whose time is not over; `undefined` for anything else. */
  async find(token: string): Promise<TokenRecord | undefined> {
    if (!token.startsWith(PREFIX) || token.length > MAX_TOKEN_LENGTH) return undefined;
    try {
      const { plaintext } = await compactDecrypt(token.slice(PREFIX.length), this.#key, {
        keyManagementAlgorithms: ['dir'],
        contentEncryptionAlgorithms: ['A256GCM'],
      });
      const record = JSON.parse(new TextDecoder().decode(plaintext)) as TokenRecord;
      return isExpired(record, this.#clock.now()) ? undefined : record;
    } catch {
      return undefined;
    }
  }
}
