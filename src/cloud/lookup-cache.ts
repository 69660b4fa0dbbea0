import { LRUCache } from 'lru-cache';
import type { Clock } from '../contract/index.js';

/** What {@link LookupCache} takes. */
export interface LookupCacheOptions {
  readonly clock: Clock;
  /** Milliseconds that an answer serves. */
  readonly maxAge: number;
  /** Answers kept; a long one counts as several, by {@link ANSWER_LENGTH}. */
  readonly maxEntries: number;
}

interface Entry {
  readonly value: unknown;
  readonly since: number;
}

/** Characters, as JSON and with its key, that count as one answer. A machine with one or two identities has fewer. */
const ANSWER_LENGTH = 1_024;

/** Answers of the cloud about one configuration, for a short time. */
export class LookupCache {
  readonly #entries: LRUCache<string, Entry>;
  readonly #clock: Clock;
  readonly #maxAge: number;

  constructor({ clock, maxAge, maxEntries }: LookupCacheOptions) {
    this.#clock = clock;
    this.#maxAge = maxAge;
    this.#entries = new LRUCache({
      maxSize: maxEntries,
      sizeCalculation: ({ value }, key) => Math.ceil((key.length + JSON.stringify(value).length) / ANSWER_LENGTH),
    });
  }

  /** The answer, unless it is too old or there is none. */
  get(key: string): unknown {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    const age = this.#clock.now() - entry.since;
    // Below zero when the clock was set back: nothing is then known about the age.
    return age >= 0 && age < this.#maxAge ? entry.value : undefined;
  }

  /** Keeps an answer to a question of that time, in milliseconds since the Unix epoch. "Nothing" is not kept. */
  set(key: string, value: unknown, since: number): void {
    if (value === undefined || (Array.isArray(value) && value.length === 0)) return;
    this.#entries.set(key, { value, since });
  }
}
