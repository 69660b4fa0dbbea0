import { AuthMethodError } from '../contract/index.js';
import type { Clock, Logger } from '../contract/index.js';
import { DocumentError } from './fetch-document.js';
import type { KeySet, SigningKey } from './key-set.js';
import { refusal } from './token-rules.js';
import { untilAborted } from './until-aborted.js';
import { withTimeout } from './with-timeout.js';

// All in milliseconds.

/** Age at which keys are fetched again in the background, while they go on being used. */
export const REFRESH_AFTER = 60 * 60 * 1000;

/** How long keys are used after the last successful fetch when the provider stays down. */
export const USABLE_FOR = 24 * 60 * 60 * 1000;

/** Time between fetches at least, whatever asks for one: an unknown key, an outage, age. */
export const COOLDOWN = 30 * 1000;

/**
 * While there are no keys at all, failed fetches are repeated sooner: after this long first, then doubling, or when the
 * directory asks to.
 */
export const FIRST_COOLDOWN = 1000;

/** Time that one fetch may take, retries included. */
export const FETCH_TIMEOUT = 30 * 1000;

/** Fetches the keys before `deadline` (milliseconds since the Unix epoch), when `signal` aborts. */
export type FetchKeys = (signal: AbortSignal, deadline: number) => Promise<KeySet>;

/** What a {@link KeySource} needs. */
export interface KeySourceOptions {
  readonly fetchKeys: FetchKeys;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Aborts when the validator closes. */
  readonly closing: AbortSignal;
}

/**
 * The keys of one issuer: fetched once for all concurrent logins, refreshed at use before they age, refetched for unknown
 * key ids under a cooldown, kept through outages.
 */
export class KeySource {
  readonly #options: KeySourceOptions;
  #keys: KeySet | undefined;
  #fetchedAt = -Infinity;
  #attemptedAt = -Infinity;
  /** Failed fetches since the last one that succeeded. */
  #failures = 0;
  #cause: unknown;
  #pending: Promise<void> | undefined;

  constructor(options: KeySourceOptions) {
    this.#options = options;
  }

  /** The key, if it is at hand. Never waits; starts a refresh when the keys have aged. */
  find(keyId: string): SigningKey | undefined {
    const now = this.#options.clock.now();
    if (now - this.#fetchedAt >= USABLE_FOR) this.#keys = undefined;
    else if (hasPassed(REFRESH_AFTER, this.#fetchedAt, now)) void this.#refresh();
    return this.#keys?.get(keyId);
  }

  /**
   * The key, fetched if the cooldown allows. The fetch is shared and goes on when `signal` aborts.
   *
   * @throws `login_denied` for a key that the issuer does not publish, `provider_unavailable` when that cannot be told.
   */
  async obtain(keyId: string, signal: AbortSignal): Promise<SigningKey> {
    if (!(await untilAborted(this.#refresh(), signal))) {
      throw new AuthMethodError('provider_unavailable', "The tenant's signing keys did not arrive in time.", {
        retryAfter: toSeconds(FIRST_COOLDOWN),
      });
    }
    const key = this.find(keyId);
    if (key !== undefined) return key;
    if (this.#failures === 0) {
      throw refusal('token-key', 'The token is signed with a key that the tenant does not publish.');
    }
    throw new AuthMethodError('provider_unavailable', "The tenant's signing keys could not be fetched.", {
      retryAfter: toSeconds(this.#cooldown()),
      cause: this.#cause,
    });
  }

  /** Joins the fetch under way, or starts one unless it is too early. Never rejects. */
  #refresh(): Promise<void> {
    if (this.#pending === undefined && hasPassed(this.#cooldown(), this.#attemptedAt, this.#options.clock.now())) {
      this.#pending = this.#fetch().finally(() => (this.#pending = undefined));
    }
    return this.#pending ?? Promise.resolve();
  }

  async #fetch(): Promise<void> {
    const { clock, logger } = this.#options;
    try {
      this.#keys = await this.#fetchInTime();
      this.#fetchedAt = clock.now();
      this.#failures = 0;
      this.#cause = undefined;
    } catch (error) {
      this.#failures++;
      this.#cause = error;
      const reason = error instanceof Error ? error.message : 'unknown';
      logger.warn('signing keys could not be fetched', { reason, failures: this.#failures });
    }
    this.#attemptedAt = clock.now();
  }

  /** Logins share the fetch, so that none of their signals may end it. */
  #fetchInTime(): Promise<KeySet> {
    const { clock, closing, fetchKeys } = this.#options;
    const deadline = clock.now() + FETCH_TIMEOUT;
    return withTimeout(clock, FETCH_TIMEOUT, closing, (signal) => fetchKeys(signal, deadline));
  }

  #cooldown(): number {
    if (this.#keys !== undefined || this.#failures === 0) return COOLDOWN;
    const wanted = this.#cause instanceof DocumentError ? this.#cause.retryAfter * 1000 : 0;
    return Math.min(Math.max(FIRST_COOLDOWN * 2 ** (this.#failures - 1), wanted), COOLDOWN);
  }
}

/** A clock set back counts as passed: better one fetch too many than none until it has caught up. */
function hasPassed(duration: number, since: number, now: number): boolean {
  return now < since || now - since >= duration;
}

function toSeconds(milliseconds: number): number {
  return Math.ceil(milliseconds / 1000);
}
