import type { Clock } from '../../src/contract/index.js';

/** A clock that moves only when told to. Sleepers wake when it passes their time. */
export class ManualClock implements Clock {
  #now: number;
  #sleepers: { until: number; wake: () => void }[] = [];

  constructor(now = Date.UTC(2026, 0, 1)) {
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(signal.reason as Error);
        return;
      }
      signal?.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
      this.#sleepers.push({ until: this.#now + milliseconds, wake: resolve });
    });
  }

  advance(milliseconds: number): void {
    this.#now += milliseconds;
    const due = this.#sleepers.filter((sleeper) => sleeper.until <= this.#now);
    this.#sleepers = this.#sleepers.filter((sleeper) => sleeper.until > this.#now);
    for (const sleeper of due) sleeper.wake();
  }
}
