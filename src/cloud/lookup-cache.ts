import { LRUCache } from 'lru-cache';
import type { Clock } from '../contract/index.js';

/** What {@link LookupCache} takes. */
export interface LookupCacheOptions {
  readonly clock: Clock;
  /** Milliseconds that an answer serves. */
  readonly maxAge: number;
  /** Answers kept; each identity that one lists counts as another. */
  readonly maxEntries: number;
}

interface Entry {
  readonly value: unknown;
  readonly since: number;
}

/** Characters of a key that weigh as much as an answer. */
const KEY_WEIGHT = 512;

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
      sizeCalculation: ({ value }, key) => 1 + Math.floor(key.length / KEY_WEIGHT) + listedIn(value),
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

function listedIn(value: unknown): number {
  if (Array.isArray(value)) return value.length;
  const list = typeof value === 'object' && value !== null && 'userAssigned' in value ? value.userAssigned : [];
  return Array.isArray(list) ? list.length : 0;
}
