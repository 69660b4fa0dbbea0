import type { Storage } from 'cloud-identity-auth';

/** A storage of one's own: here a map, in a real server a table of its database. */
export class MapStorage implements Storage {
  readonly #values = new Map<string, Uint8Array>();

  get(key: string): Promise<Uint8Array | undefined> {
    return Promise.resolve(this.#values.get(key)?.slice());
  }

  put(key: string, value: Uint8Array): Promise<void> {
    this.#values.set(key, value.slice());
    return Promise.resolve();
  }

  delete(key: string): Promise<void> {
    this.#values.delete(key);
    return Promise.resolve();
  }

  list(prefix: string): Promise<string[]> {
    const below = [...this.#values.keys()]
      .filter((key) => key.startsWith(prefix))
      .map((key) => key.slice(prefix.length));
    const children = below.map((key) => (key.includes('/') ? key.slice(0, key.indexOf('/') + 1) : key));
    return Promise.resolve([...new Set(children)].sort());
  }
}
