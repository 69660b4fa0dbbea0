import { hash } from 'node:crypto';
import { AuthMethodError } from '../../contract/index.js';
import type { Clock, Logger } from '../../contract/index.js';
import { KeyedQueue } from './keyed-queue.js';
import { ROOT_POLICY } from './policies.js';
import { RandomTexts } from './random-texts.js';
import type { RecordStorage } from './records.js';
import { isExpired } from './token-record.js';
import type { TokenExtension, TokenRecord } from './token-record.js';

const TOKEN_BYTES = 24;
const ACCESSOR_BYTES = 18;
const FOLDER = 'token/';

/** What a {@link TokenStore} works with. */
export interface TokenStoreOptions {
  readonly records: RecordStorage;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The token that exists from the start, never expires and cannot be revoked. Secret. */
  readonly rootToken: string;
}

/**
 * Service tokens. All of them are held in memory, by the SHA-256 of the token; a look-up does not touch storage. With records,
 * every change is written through before it counts, one write at a time per token. Records in storage that nothing vouches for any more
 * (mount or parent gone) are dropped when the store is loaded, so that a crash between two writes revives nothing.
 */
export class TokenStore {
  readonly #records: RecordStorage;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #rootHash: string;
  readonly #tokens = new Map<string, TokenRecord>();
  readonly #children = new Map<string, Set<string>>();
  readonly #writes = new KeyedQueue();
  readonly #random = new RandomTexts();

  constructor({ records, clock, logger, rootToken }: TokenStoreOptions) {
    this.#records = records;
    this.#clock = clock;
    this.#logger = logger;
    const root = rootRecord(rootToken, this.#random.take(ACCESSOR_BYTES), clock.now());
    this.#rootHash = root.hash;
    this.#tokens.set(root.hash, root);
  }

  /** Reads what an earlier process stored. */
  async load(isMounted: (mountId: string) => boolean): Promise<void> {
    for (const name of await this.#records.list(FOLDER)) {
      const stored = (await this.#records.get(FOLDER + name)) as unknown as TokenRecord | undefined;
      if (stored !== undefined) this.#add(stored);
    }
    const now = this.#clock.now();
    const lost = [...this.#tokens.values()].filter(
      (record) => !this.#isLive(record, now) || (record.mountId !== undefined && !isMounted(record.mountId)),
    );
    await this.#endAll(lost);
  }

  /** Makes the token of a record, which it completes. The token exists once this resolves. */
  async create(record: TokenRecord): Promise<string> {
    const token = `s.${this.#random.take(TOKEN_BYTES)}`;
    record.hash = hashOf(token);
    record.accessor = this.#random.take(ACCESSOR_BYTES);
    // In memory first, so that a parent or mount that ends meanwhile takes it along. Nobody knows the token yet.
    this.#add(record);
    try {
      await this.#writes.run(record.hash, () => this.#write(record));
    } catch (error) {
      await this.#endAll([record]);
      throw error;
    }
    if (!this.#tokens.has(record.hash)) throw ended();
    return token;
  }

  /** The record of a live token; `undefined` for anything else. Does not count as a use. */
  find(token: string): TokenRecord | undefined {
    const record = this.#tokens.get(hashOf(token));
    return record !== undefined && this.#isLive(record, this.#clock.now()) ? record : undefined;
  }

  /** Takes one use of a token that counts them. The last use ends the token. Rejects when that cannot be stored. */
  async spend(record: TokenRecord): Promise<void> {
    if (record.usesLeft === 0) return;
    record.usesLeft -= 1;
    if (record.usesLeft === 0) this.#drop(record);
    // By the time it is this use's turn, a later one may have been the last.
    await this.#writes.run(record.hash, () =>
      this.#tokens.has(record.hash) ? this.#write(record) : this.#records.delete(FOLDER + record.hash),
    );
  }

  /** Prolongs a token. Rejects with `permission_denied` when it has ended meanwhile. */
  async extend(record: TokenRecord, extension: TokenExtension): Promise<void> {
    await this.#writes.run(record.hash, async () => {
      await this.#write({ ...record, ...extension });
      Object.assign(record, extension);
    });
  }

  /** Ends a token and all that were made with it. Nothing happens when it has ended already. */
  async revoke(record: TokenRecord): Promise<void> {
    if (record.hash === this.#rootHash) {
      throw new AuthMethodError('invalid_request', 'the root token lives as long as the server and cannot be revoked');
    }
    await this.#writes.run(record.hash, async () => {
      await this.#records.delete(FOLDER + record.hash);
      this.#tokens.delete(record.hash);
    });
    await this.#endAll([record]);
  }

  /** Ends all tokens that a mount vouches for, at once; storage follows. */
  async revokeMount(mountId: string): Promise<void> {
    await this.#endAll([...this.#tokens.values()].filter((record) => record.mountId === mountId));
  }

  /** Removes tokens whose time is over, with their children. */
  async sweep(): Promise<void> {
    const now = this.#clock.now();
    await this.#endAll([...this.#tokens.values()].filter((record) => isExpired(record, now)));
  }

  /**
   * Ends tokens and their descendants. Storage may fail here without bringing one back: the callers saw to it that nothing
   * vouches for these records any more.
   */
  async #endAll(records: readonly TokenRecord[]): Promise<void> {
    for (const { hash: ended } of records.flatMap((record) => this.#drop(record))) {
      try {
        await this.#writes.run(ended, () => this.#records.delete(FOLDER + ended));
      } catch (error) {
        this.#logger.error('the record of an ended token could not be deleted', { error });
      }
    }
  }

  async #write(record: TokenRecord): Promise<void> {
    if (!this.#tokens.has(record.hash)) throw ended();
    await this.#records.put(FOLDER + record.hash, record);
  }

  #isLive(record: TokenRecord, now: number): boolean {
    if (isExpired(record, now)) return false;
    if (record.parent === undefined) return true;
    const parent = this.#tokens.get(record.parent);
    return parent !== undefined && this.#isLive(parent, now);
  }

  #add(record: TokenRecord): void {
    this.#tokens.set(record.hash, record);
    if (record.parent === undefined) return;
    const siblings = this.#children.get(record.parent);
    if (siblings === undefined) this.#children.set(record.parent, new Set([record.hash]));
    else siblings.add(record.hash);
  }

  /** Takes a token and its descendants out of memory; gives them back, the token first. */
  #drop(record: TokenRecord): TokenRecord[] {
    const dropped = [record];
    for (const { hash: parent } of dropped) {
      for (const child of this.#children.get(parent) ?? []) {
        const childRecord = this.#tokens.get(child);
        if (childRecord !== undefined) dropped.push(childRecord);
      }
    }
    for (const { hash: ended } of dropped) {
      this.#tokens.delete(ended);
      this.#children.delete(ended);
    }
    if (record.parent !== undefined) this.#children.get(record.parent)?.delete(record.hash);
    return dropped;
  }
}

function rootRecord(token: string, accessor: string, now: number): TokenRecord {
  return {
    type: 'service',
    hash: hashOf(token),
    accessor,
    policies: [ROOT_POLICY],
    metadata: {},
    displayName: 'root',
    entityId: '',
    path: 'auth/token/root',
    mountId: undefined,
    auth: undefined,
    parent: undefined,
    boundCidrs: [],
    renewable: false,
    createdAt: now,
    creationTtl: 0,
    explicitMaxTtl: 0,
    ttl: 0,
    period: 0,
    expiresAt: 0,
    renewedAt: undefined,
    usesLeft: 0,
  };
}

function ended(): AuthMethodError {
  return new AuthMethodError('permission_denied', 'permission denied', { rule: 'token_ended' });
}

function hashOf(token: string): string {
  return hash('sha256', token, 'base64url');
}
