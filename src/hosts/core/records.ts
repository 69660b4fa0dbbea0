import { AuthMethodError } from '../../contract/index.js';
import type { Storage } from '../../contract/index.js';

const VERSION = 1;

/** Where records go. */
export type RecordStorage = Pick<Records, 'get' | 'put' | 'delete' | 'list'>;

/** Keeps nothing: for what need not outlive the process and should cost nothing to write. */
export const FORGETFUL: RecordStorage = {
  get: () => Promise.resolve(undefined),
  put: () => Promise.resolve(),
  delete: () => Promise.resolve(),
  list: () => Promise.resolve([]),
};

/** The host's own records: JSON objects with a version, in the host's storage. */
export class Records {
  readonly #storage: Storage;

  constructor(storage: Storage) {
    this.#storage = storage;
  }

  /** Rejects with `storage_failed` when the medium fails or what it holds is not a record. */
  async get(key: string): Promise<Readonly<Record<string, unknown>> | undefined> {
    const bytes = await translated(key, this.#storage.get(key));
    if (bytes === undefined) return undefined;
    try {
      return JSON.parse(new TextDecoder().decode(bytes)) as Record<string, unknown>;
    } catch {
      // The parser's own text would show parts of the record.
      throw new AuthMethodError('storage_failed', `storage: the record ${key} is not JSON`);
    }
  }

  async put(key: string, record: object): Promise<void> {
    await translated(key, this.#storage.put(key, Buffer.from(JSON.stringify({ version: VERSION, ...record }))));
  }

  async delete(key: string): Promise<void> {
    await translated(key, this.#storage.delete(key));
  }

  async list(prefix: string): Promise<string[]> {
    return translated(prefix, this.#storage.list(prefix));
  }

  /** Deletes everything below a prefix, folders included. */
  async deleteAll(prefix: string): Promise<void> {
    for (const name of await this.list(prefix)) {
      if (name.endsWith('/')) await this.deleteAll(prefix + name);
      else await this.delete(prefix + name);
    }
  }
}

async function translated<T>(key: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    throw new AuthMethodError('storage_failed', `storage: no access to ${key}`, { cause });
  }
}
