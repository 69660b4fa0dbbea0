/* eslint-disable @typescript-eslint/require-await -- async, so that a refused key rejects instead of throwing */
import type { Storage } from '../contract/index.js';
import { assertKey, assertPrefix } from './keys.js';

/** Keeps everything in this process's memory: for tests, demos and hosts that need no more. Lost when the process ends. */
export class MemoryStorage implements Storage {
  readonly #values = new Map<string, Uint8Array>();

  async get(key: string): Promise<Uint8Array | undefined> {
    assertKey(key);
    return this.#values.get(key)?.slice();
  }

  async put(key: string, value: Uint8Array): Promise<void> {
    assertKey(key);
    this.#values.set(key, new Uint8Array(value));
  }

  async delete(key: string): Promise<void> {
    assertKey(key);
    this.#values.delete(key);
  }

  async list(prefix: string): Promise<string[]> {
    assertPrefix(prefix);
    return this.#children(prefix);
  }

  async listPage(prefix: string, after: string, limit: number): Promise<string[]> {
    assertPrefix(prefix);
    return this.#children(prefix)
      .filter((name) => name > after)
      .slice(0, limit);
  }

  #children(prefix: string): string[] {
    const names = new Set<string>();
    for (const key of this.#values.keys()) {
      if (!key.startsWith(prefix)) continue;
      const rest = key.slice(prefix.length);
      const slash = rest.indexOf('/');
      names.add(slash < 0 ? rest : rest.slice(0, slash + 1));
    }
    return [...names].sort();
  }
}
