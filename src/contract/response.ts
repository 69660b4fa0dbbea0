import type { Auth } from './auth.js';

/** What the backend answers. An operation that has nothing to say answers `undefined` instead. */
export interface Response {
  /** JSON values in wire spelling. */
  readonly data?: Readonly<Record<string, unknown>>;
  /** Set by a successful login or renewal. */
  readonly auth?: Auth;
  /** Full sentences for the caller, for instance about fields that were ignored. */
  readonly warnings?: readonly string[];
}
