import type { Auth } from './auth.js';

/**
 * What a host asks of the backend.
 *
 * - `create` and `update` both write; the backend treats them alike, and {@link Backend.existenceCheck} tells them apart.
 * - `renew` comes on the login path with the stored {@link Auth}.
 * - `resolve-role` and `alias-lookahead` come on the login path, before or after the login, and must be cheap.
 * - `help` answers with the path's description, `rollback` is the host's periodic tick.
 */
export type Operation =
  'create' | 'update' | 'read' | 'delete' | 'list' | 'renew' | 'alias-lookahead' | 'resolve-role' | 'help' | 'rollback';

/** One call to the backend. Permissions were checked by the host. */
export interface Request {
  /** Identifies the request in log lines and answers. */
  readonly id: string;
  readonly operation: Operation;
  /** Path below the mount, without a leading slash, for instance `role/dev`. One trailing slash is ignored. */
  readonly path: string;
  /** The parsed body: untrusted JSON values. Absent means an empty body. Own properties count, inherited ones do not. */
  readonly data?: Readonly<Record<string, unknown>>;
  /** Only on `renew`: what the login returned. */
  readonly auth?: Auth;
  /** IP address of the caller without port, when the host knows it. */
  readonly remoteAddress?: string;
}
