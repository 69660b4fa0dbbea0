import type { Storage } from '../../src/contract/index.js';
import { MemoryStorage } from '../../src/storage/index.js';

type StorageCall = 'get' | 'put' | 'delete' | 'list';

/** A storage in memory that keeps what it was asked, and fails or answers late on demand. */
export class WatchedStorage implements Storage {
  /** For instance `get role/dev`, in order. */
  readonly calls: string[] = [];
  /** Kinds of calls that reject without having happened. */
  readonly failing = new Set<StorageCall>();
  /** For calls about these keys, which happen at once, what to wait for before they answer. */
  readonly late = new Map<string, Promise<void>>();
  readonly #inner = new MemoryStorage();

  async get(key: string): Promise<Uint8Array | undefined> {
    this.#note('get', key);
    return this.#whenDue(key, this.#inner.get(key));
  }

  async put(key: string, value: Uint8Array): Promise<void> {
    this.#note('put', key);
    return this.#whenDue(key, this.#inner.put(key, value));
  }

  async delete(key: string): Promise<void> {
    this.#note('delete', key);
    return this.#whenDue(key, this.#inner.delete(key));
  }

  async list(prefix: string): Promise<string[]> {
    this.#note('list', prefix);
    return this.#whenDue(prefix, this.#inner.list(prefix));
  }

  /** Writes text behind the back of whoever uses the storage. */
  plant(key: string, text: string): Promise<void> {
    return this.#inner.put(key, new TextEncoder().encode(text));
  }

  /** What is stored, parsed. */
  async stored(key: string): Promise<unknown> {
    const bytes = await this.#inner.get(key);
    return bytes && JSON.parse(new TextDecoder().decode(bytes));
  }

  #note(call: StorageCall, key: string): void {
    this.calls.push(`${call} ${key}`);
    if (this.failing.has(call)) throw new Error('canary-disk: the disk is on fire');
  }

  async #whenDue<T>(key: string, answer: Promise<T>): Promise<T> {
    const late = this.late.get(key);
    const value = await answer;
    await late;
    return value;
  }
}

/** A promise to hold something up with, and the way to let go. */
export function gate(): { readonly closed: Promise<void>; readonly open: () => void } {
  let open = (): void => undefined;
  const closed = new Promise<void>((resolve) => (open = resolve));
  return { closed, open };
}
