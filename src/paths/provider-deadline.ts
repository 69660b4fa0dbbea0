import { setMaxListeners } from 'node:events';

/** Share of the timeout that logins may lose to sharing a deadline. */
const GRAIN = 1 / 120;

/**
 * Deadlines for what logins ask of the provider. Logins that begin at almost the same time share a signal, because one of
 * its own with a timer costs each login more than most of the decision does.
 */
export class ProviderDeadline {
  readonly #timeout: number;
  #current: { readonly signal: AbortSignal; readonly until: number } | undefined;

  /** @param timeout - milliseconds that a login may wait at most */
  constructor(timeout: number) {
    this.#timeout = timeout;
  }

  /** Aborts after the timeout, or up to a 120th of it earlier. Never later. */
  signal(): AbortSignal {
    const now = performance.now();
    if (this.#current === undefined || now >= this.#current.until) {
      const controller = new AbortController();
      // Any number of logins may wait for the same moment.
      setMaxListeners(0, controller.signal);
      setTimeout(() => controller.abort(), this.#timeout).unref();
      this.#current = { signal: controller.signal, until: now + this.#timeout * GRAIN };
    }
    return this.#current.signal;
  }
}
