// What the n-th change of a key makes of it, for the writer and for the one who checks.

/** Some keys share folders, which come and go with them. */
export const KEYS = ['config', 'role', 'wal/1', 'wal/2', 'a/b/c/d', 'a/b/e', 'Lone/\u{1f600}'].concat(
  Array.from({ length: 17 }, (_, index) => `role/${index}`),
);

/** The value after a change; undefined when the change deletes. */
export function valueOf(key, number) {
  if (number % 3 === 2) return undefined;
  return new TextEncoder().encode(`${key} ${number} `.repeat((number * 37) % 700));
}
