import { LRUCache } from 'lru-cache';
import { AuthMethodError } from '../contract/index.js';
import type { Clock, Storage } from '../contract/index.js';

/** A stored record: JSON with a version. Fields that this version does not know are kept when it is written again. */
export type StoredRecord = Readonly<Record<string, unknown>>;

/** How {@link RecordStore} caches. */
export interface RecordStoreOptions<T> {
  /** Turns the stored record into what the backend works with. Called once per change. */
  readonly parse: (record: StoredRecord | undefined, key: string) => T;
  /** Records held in memory at most. */
  readonly maxEntries: number;
  /** Milliseconds after which a cached record is compared with storage again; absent: never. */
  readonly maxAge?: number;
}

interface Entry<T> {
  readonly text: string | undefined;
  readonly value: T;
  readonly checkedAt: number;
}

/**
 * Records of one kind: read through a bounded cache, parsed once per change, written one at a time per key.
 * Concurrent readers of a record share one read.
 */
export class RecordStore<T> {
  readonly #storage: Storage;
  readonly #clock: Clock;
  readonly #options: RecordStoreOptions<T>;
  readonly #entries: LRUCache<string, Entry<T>>;
  readonly #reads = new Map<string, Promise<T>>();
  readonly #writes = new Map<string, Promise<unknown>>();
  /** Counts changes: a read that began before one must not fill the cache after it. */
  #changes = 0;

  constructor(storage: Storage, clock: Clock, options: RecordStoreOptions<T>) {
    this.#storage = storage;
    this.#clock = clock;
    this.#options = options;
    this.#entries = new LRUCache({ max: options.maxEntries });
  }

  /** The parsed record, at no cost while it is cached. */
  get(key: string): T | Promise<T> {
    const entry = this.#entries.get(key);
    if (entry !== undefined && this.#isFresh(entry)) return entry.value;
    const running = this.#reads.get(key);
    if (running !== undefined) return running;
    const read = this.#load(key).finally(() => {
      if (this.#reads.get(key) === read) this.#reads.delete(key);
    });
    this.#reads.set(key, read);
    return read;
  }

  /** The stored record itself, past the cache. */
  async read(key: string): Promise<StoredRecord | undefined> {
    return parseRecord(key, await this.#readText(key));
  }

  /**
   * Replaces a record by what `change` makes of it; `undefined` leaves it as it is. Changes of one key run one after another;
   * `change` throwing leaves the record as it was.
   */
  async update(key: string, change: (current: StoredRecord | undefined) => StoredRecord | undefined): Promise<void> {
    await this.#exclusively(key, async () => {
      const record = change(await this.read(key));
      if (record === undefined) return;
      const text = JSON.stringify(record);
      const changes = this.#changes;
      await this.#write(key, () => this.#storage.put(key, new TextEncoder().encode(text)));
      // With more changes than this one, storage may already hold something newer.
      if (this.#changes === changes + 1) this.#cache(key, text, this.#options.parse(parseRecord(key, text), key));
    });
  }

  async delete(key: string): Promise<void> {
    await this.#exclusively(key, () => this.#write(key, () => this.#storage.delete(key)));
  }

  async list(prefix: string): Promise<string[]> {
    try {
      return await this.#storage.list(prefix);
    } catch (cause) {
      throw new AuthMethodError('storage_failed', `storage: could not list ${prefix}`, { cause });
    }
  }

  /** Drops what is cached of a key. */
  invalidate(key: string): void {
    this.#changes += 1;
    this.#entries.delete(key);
    this.#reads.delete(key);
  }

  #isFresh(entry: Entry<T>): boolean {
    const { maxAge } = this.#options;
    return maxAge === undefined || Math.abs(this.#clock.now() - entry.checkedAt) <= maxAge;
  }

  async #load(key: string): Promise<T> {
    const changes = this.#changes;
    const text = await this.#readText(key);
    const known = this.#entries.peek(key);
    // An unchanged record keeps its parsed value: clients and tokens hang on its identity.
    const value =
      known !== undefined && known.text === text ? known.value : this.#options.parse(parseRecord(key, text), key);
    if (changes === this.#changes) this.#cache(key, text, value);
    return value;
  }

  #cache(key: string, text: string | undefined, value: T): void {
    // Records that are not there are not cached, or callers could fill the cache with names of their own.
    if (value !== undefined) this.#entries.set(key, { text, value, checkedAt: this.#clock.now() });
  }

  async #readText(key: string): Promise<string | undefined> {
    try {
      const bytes = await this.#storage.get(key);
      return bytes && new TextDecoder().decode(bytes);
    } catch (cause) {
      throw new AuthMethodError('storage_failed', `storage: could not read ${key}`, { cause });
    }
  }

  async #write(key: string, write: () => Promise<void>): Promise<void> {
    try {
      await write();
    } catch (cause) {
      throw new AuthMethodError('storage_failed', `storage: could not write ${key}`, { cause });
    } finally {
      // Also after a failure: it may have happened.
      this.invalidate(key);
    }
  }

  async #exclusively(key: string, work: () => Promise<void>): Promise<void> {
    const before = this.#writes.get(key) ?? Promise.resolve();
    const turn = before.then(work, work);
    this.#writes.set(key, turn);
    try {
      await turn;
    } finally {
      if (this.#writes.get(key) === turn) this.#writes.delete(key);
    }
  }
}

function parseRecord(key: string, text: string | undefined): StoredRecord | undefined {
  if (text === undefined) return undefined;
  try {
    const record: unknown = JSON.parse(text);
    if (typeof record === 'object' && record !== null && !Array.isArray(record)) return record as StoredRecord;
  } catch {
    // The parser's own text would show parts of the record.
  }
  throw new AuthMethodError('storage_failed', `storage: the record ${key} is not a JSON object`);
}
