import { MemoryStorage } from '../../src/storage/index.js';

type StorageCall = 'get' | 'put' | 'delete' | 'list';

/** A storage in memory that fails or waits on demand, in words that may be logged. */
export class FailingStorage extends MemoryStorage {
  /** Kinds of calls that reject without having happened. */
  readonly failing = new Set<StorageCall>();
  /** For instance `get config`, in order. */
  readonly calls: string[] = [];

  /** Awaited by every write before it happens. */
  gate: Promise<unknown> = Promise.resolve();

  override async get(key: string): Promise<Uint8Array | undefined> {
    this.#note('get', key);
    return super.get(key);
  }

  override async put(key: string, value: Uint8Array): Promise<void> {
    this.#note('put', key);
    await this.gate;
    return super.put(key, value);
  }

  override async delete(key: string): Promise<void> {
    this.#note('delete', key);
    return super.delete(key);
  }

  override async list(prefix: string): Promise<string[]> {
    this.#note('list', prefix);
    return super.list(prefix);
  }

  #note(call: StorageCall, key: string): void {
    this.calls.push(`${call} ${key}`);
    if (this.failing.has(call)) throw new Error('the disk is full');
  }
}
