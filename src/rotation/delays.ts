import type { DelayRange } from './timing.js';

/** Delays that double from the first to the longest. Milliseconds. */
export class GrowingDelay {
  readonly #longest: number;
  #next: number;

  constructor({ first, longest }: DelayRange) {
    this.#next = first;
    this.#longest = longest;
  }

  next(): number {
    const delay = Math.min(this.#next, this.#longest);
    this.#next = delay * 2;
    return delay;
  }
}

/** A time before which nothing is tried again, which holds for its delay at most, however the clock jumps. */
export class NextTry {
  #at = -Infinity;
  #delay = 0;

  /** Times in milliseconds. */
  postpone(now: number, delay: number): void {
    this.#at = now + delay;
    this.#delay = delay;
  }

  isDue(now: number): boolean {
    const left = this.#at - now;
    return left <= 0 || left > this.#delay;
  }
}
