import type { Clock } from '../contract/index.js';
import type { Failures } from './failures.js';
import { untilAborted, withDeadline } from './signals.js';

/** An access token as the directory gives it. */
export interface AccessToken {
  /** Secret. */
  readonly value: string;
  /** Milliseconds from now. */
  readonly lifetime: number;
}

/** Asks the directory for an access token. */
export type TokenSource = (signal: AbortSignal) => Promise<AccessToken>;

interface HeldToken {
  readonly value: string;
  readonly renewAt: number;
  readonly expiresAt: number;
}

/** Milliseconds that one token may take, retries included. It is nobody's own request, so no caller's signal bounds it. */
const FETCH_DEADLINE = 30_000;
/** Milliseconds before its end from which a token is renewed in the background. */
const RENEWAL_MARGIN = 300_000;
/** Milliseconds without another replacement once one was refused too: it is not for their age that these are refused. */
const FUTILE_FOR = 60_000;

/** The access token of one configuration: fetched once for concurrent callers, renewed before it expires. */
export class Credential {
  #held: HeldToken | undefined;
  #pending: Promise<HeldToken> | undefined;
  #futileSince = -Infinity;

  constructor(
    private readonly source: TokenSource,
    private readonly clock: Clock,
    private readonly failures: Failures,
  ) {}

  /** A token that has not expired. Rejects with an `AuthMethodError`, also when `signal` aborts first. */
  async token(signal: AbortSignal): Promise<string> {
    const now = this.clock.now();
    const held = this.#held;
    if (held !== undefined && now < held.renewAt) return held.value;

    const pending = (this.#pending ??= this.#fetch());
    if (held !== undefined && now < held.expiresAt) {
      // A failed renewal is logged where it fails; the token in hand still serves, and the next call tries again.
      pending.catch(() => undefined);
      return held.value;
    }
    try {
      return (await untilAborted(pending, signal)).value;
    } catch (error) {
      throw this.failures.fromException('directory', error);
    }
  }

  /** Another token in place of one that was refused; `undefined` when one was refused lately that came in this way. */
  async replacement(refused: string, signal: AbortSignal): Promise<string | undefined> {
    const held = this.#held;
    if (held?.value === refused) {
      if (this.clock.now() - this.#futileSince < FUTILE_FOR) return undefined;
      this.#held = undefined;
    }
    return this.token(signal);
  }

  /** Tells that a {@link replacement} was refused as well. */
  replacementRefused(): void {
    this.#futileSince = this.clock.now();
  }

  async #fetch(): Promise<HeldToken> {
    try {
      const { value, lifetime } = await withDeadline(this.clock, FETCH_DEADLINE, (signal) =>
        // Not every source heeds the signal: some ask the host, or read a file.
        untilAborted(this.source(signal), signal),
      );
      const since = this.clock.now();
      const renewAt = since + Math.max(lifetime - RENEWAL_MARGIN, lifetime / 2);
      return (this.#held = { value, renewAt, expiresAt: since + lifetime });
    } catch (error) {
      throw this.failures.fromException('directory', error);
    } finally {
      this.#pending = undefined;
    }
  }
}
