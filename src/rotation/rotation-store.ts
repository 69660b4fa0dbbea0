import { AuthMethodError } from '../contract/index.js';
import type { Storage } from '../contract/index.js';
import { formatCleanUp, formatRotation, parseCleanUp, parseRotation } from './records.js';
import type { CleanUp, RotationRecord } from './records.js';

const ROTATION_KEY = 'rotation';
const CLEAN_UP_PREFIX = 'wal/';

/** Storage keys of root rotation, all of which hold secrets. One that ends in `/` stands for all below it. */
export const ROTATION_KEYS: readonly string[] = [ROTATION_KEY, CLEAN_UP_PREFIX];

/** What root rotation keeps in storage. Everything rejects with `storage_failed`. */
export class RotationStore {
  readonly #storage: Storage;

  constructor(storage: Storage) {
    this.#storage = storage;
  }

  /** An empty record when there was never a rotation. */
  async rotation(): Promise<RotationRecord> {
    const text = await this.#get(ROTATION_KEY);
    return text === undefined ? {} : parseRotation(ROTATION_KEY, text);
  }

  async writeRotation(record: RotationRecord): Promise<void> {
    await this.#put(ROTATION_KEY, formatRotation(record));
  }

  /** Ids of the credentials that must go from the directory. */
  async cleanUpIds(): Promise<string[]> {
    return translated(CLEAN_UP_PREFIX, () => this.#storage.list(CLEAN_UP_PREFIX));
  }

  async cleanUp(id: string): Promise<CleanUp | undefined> {
    const key = CLEAN_UP_PREFIX + id;
    const text = await this.#get(key);
    return text === undefined ? undefined : parseCleanUp(key, text);
  }

  async writeCleanUp(id: string, cleanUp: CleanUp): Promise<void> {
    await this.#put(CLEAN_UP_PREFIX + id, formatCleanUp(cleanUp));
  }

  async deleteCleanUp(id: string): Promise<void> {
    await translated(CLEAN_UP_PREFIX + id, () => this.#storage.delete(CLEAN_UP_PREFIX + id));
  }

  async #get(key: string): Promise<string | undefined> {
    const bytes = await translated(key, () => this.#storage.get(key));
    return bytes && new TextDecoder().decode(bytes);
  }

  #put(key: string, text: string): Promise<void> {
    return translated(key, () => this.#storage.put(key, new TextEncoder().encode(text)));
  }
}

async function translated<T>(key: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    throw new AuthMethodError('storage_failed', `storage: no access to ${key}`, { cause });
  }
}
