import { AuthMethodError } from '../contract/index.js';

/**
 * Holds a key to the rule of `Storage`: relative, without empty, `.` or `..` segments.
 *
 * @throws AuthMethodError `internal`, because callers check names before they become keys
 */
export function assertKey(key: string): void {
  if (key.split('/').some((segment) => segment === '' || segment === '.' || segment === '..')) {
    throw new AuthMethodError('internal', `storage: not a key: ${JSON.stringify(key)}`);
  }
}

/** Like {@link assertKey} for the prefix of a list: empty, or a key followed by `/`. */
export function assertPrefix(prefix: string): void {
  if (prefix === '') return;
  if (!prefix.endsWith('/')) throw new AuthMethodError('internal', `storage: not a prefix: ${JSON.stringify(prefix)}`);
  assertKey(prefix.slice(0, -1));
}
