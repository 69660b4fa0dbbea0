import { hash } from 'node:crypto';

/**
 * The identifier under which a principal is remembered across logins: a UUID (version 8) that depends on nothing but the
 * mount and the alias, so that it needs no storage.
 */
export function entityId(mountAccessor: string, aliasName: string): string {
  const digest = hash('sha256', `${mountAccessor}\0${aliasName}`);
  const variant = '89ab'[parseInt(digest.charAt(16), 16) % 4] ?? '8';
  return [
    digest.slice(0, 8),
    digest.slice(8, 12),
    `8${digest.slice(13, 16)}`,
    variant + digest.slice(17, 20),
    digest.slice(20, 32),
  ].join('-');
}
