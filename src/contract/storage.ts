/**
 * The bytes a host keeps for one mount. Each mount has its own; nothing of one is visible in another.
 *
 * Keys are relative paths such as `config` or `role/dev`: no leading or trailing `/`, no empty, `.` or `..` segment.
 * An implementation must take any other character in a key, and any byte in a value.
 *
 * Every method may reject when the medium fails. A rejected `put` or `delete` may or may not have happened, but never by
 * halves. Callers treat a rejection as an error and never as "missing".
 *
 * `runStorageContract` in `cloud-identity-auth/testing` holds an implementation to all of this.
 */
export interface Storage {
  /** Reads a value. A key that was never written, or was deleted, gives `undefined`. The caller owns the returned bytes. */
  get(key: string): Promise<Uint8Array | undefined>;

  /** Writes a value, replacing any earlier one. Once it resolves, a crash does not lose it. The caller may reuse the bytes. */
  put(key: string, value: Uint8Array): Promise<void>;

  /** Deletes a value. Deleting a key that is not there succeeds. */
  delete(key: string): Promise<void>;

  /**
   * Lists the direct children below a prefix: names without the prefix, folders ending in `/`, each once, sorted by code
   * unit. The prefix is empty for the top, or ends in `/`. A prefix with nothing below it gives an empty array. When a key
   * is both a value and a folder, both names are listed.
   */
  list(prefix: string): Promise<string[]>;

  /**
   * Like {@link list}, but only names after `after` (exclusive; empty for the start) and at most `limit` of them. Optional:
   * without it, callers list everything.
   */
  listPage?(prefix: string, after: string, limit: number): Promise<string[]>;

  /**
   * Runs `work` so that all its writes happen or none does. A rejection of `work` undoes them and is passed on. Optional:
   * without it, callers write one key at a time, in an order that leaves every prefix of the writes valid.
   */
  transaction?<T>(work: (storage: Storage) => Promise<T>): Promise<T>;
}
