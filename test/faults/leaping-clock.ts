import type { Clock } from '../../src/contract/index.js';

interface Sleeper {
  readonly until: number;
  readonly wake: () => void;
}

/** The system's time, until told to leap ahead. Sleepers wake when their time has come, either way. */
export class LeapingClock implements Clock {
  /** Milliseconds that each sleep was to take, oldest first. */
  readonly sleeps: number[] = [];
  readonly #sleepers = new Set<Sleeper>();
  #ahead = 0;

  now(): number {
    return Date.now() + this.#ahead;
  }

  sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
    this.sleeps.push(milliseconds);
    return new Promise((resolve, reject) => {
      const end = (): void => {
        clearTimeout(timer);
        this.#sleepers.delete(sleeper);
        signal?.removeEventListener('abort', abort);
      };
      const wake = (): void => {
        end();
        resolve();
      };
      const abort = (): void => {
        end();
        reject(signal?.reason as Error);
      };
      const sleeper = { until: this.now() + milliseconds, wake };
      const timer = setTimeout(wake, milliseconds);
      this.#sleepers.add(sleeper);
      signal?.addEventListener('abort', abort);
      if (signal?.aborted) abort();
    });
  }

  /** Resolves once someone has gone to sleep for exactly that long. */
  async slept(milliseconds: number): Promise<void> {
    while (!this.sleeps.includes(milliseconds)) await new Promise(setImmediate);
  }

  leap(milliseconds: number): void {
    this.#ahead += milliseconds;
    const now = this.now();
    for (const { until, wake } of this.#sleepers) {
      if (until <= now) wake();
    }
  }
}
