import type { Storage } from '../contract/index.js';
import { assertKey, assertPrefix } from './keys.js';

/**
 * A view of a storage in which every key lies below a prefix. Nothing outside can be reached through it: keys are checked
 * here, whatever the storage below makes of `..`. It pages and transacts where the storage below does.
 *
 * @param prefix - a key followed by `/`, for instance `mount/7f3c/`
 */
export function prefixedStorage(storage: Storage, prefix: string): Storage {
  assertPrefix(prefix);
  const inside = (key: string): string => {
    assertKey(key);
    return prefix + key;
  };
  const below = (listPrefix: string): string => {
    assertPrefix(listPrefix);
    return prefix + listPrefix;
  };
  return {
    get: async (key) => storage.get(inside(key)),
    put: async (key, value) => storage.put(inside(key), value),
    delete: async (key) => storage.delete(inside(key)),
    list: async (listPrefix) => storage.list(below(listPrefix)),
    ...(storage.listPage && {
      listPage: async (listPrefix: string, after: string, limit: number) =>
        (storage as Required<Storage>).listPage(below(listPrefix), after, limit),
    }),
    ...(storage.transaction && {
      transaction: async <T>(work: (storage: Storage) => Promise<T>) =>
        (storage as Required<Storage>).transaction(async (inner) => work(prefixedStorage(inner, prefix))),
    }),
  };
}
