import type { Clock, Logger, RootConfiguration, RotationSchedule } from '../contract/index.js';
import { NextTry } from './delays.js';
import type { RotationRecord } from './records.js';
import { lastClosed, missedRotation, nextRotation } from './schedule.js';

/** Seconds between attempts, where the configuration cannot be asked. */
const FALLBACK_DELAY = 60;

/** Seconds between attempts at least. */
const MIN_DELAY = 1;

/** When rotations happen by themselves: due times from the stored state, and patience after failures. */
export class Automation {
  readonly #root: RootConfiguration;
  readonly #clock: Clock;
  readonly #logger: Logger;
  #due: number | undefined;
  #failures = 0;
  #nextTry = new NextTry();
  /** Missed times up to this one have been logged. */
  #reported = 0;

  constructor(root: RootConfiguration, clock: Clock, logger: Logger) {
    this.#root = root;
    this.#clock = clock;
    this.#logger = logger;
  }

  /** Whether to rotate now. Milliseconds since the Unix epoch. */
  async isDue({ lastRotation }: RotationRecord, now: number): Promise<boolean> {
    const schedule = await this.#root.schedule();
    if (schedule === undefined) return false;
    this.#reportMissed(schedule, lastRotation, now);
    const due = nextRotation(schedule, lastRotation, now);
    if (due !== this.#due) {
      this.#due = due;
      this.#failures = 0;
      this.#nextTry = new NextTry();
    }
    return due !== undefined && due <= now && this.#nextTry.isDue(now);
  }

  /** When the next rotation is due, in milliseconds since the Unix epoch. */
  async next({ lastRotation }: RotationRecord, now: number): Promise<number | undefined> {
    const schedule = await this.#root.schedule();
    return schedule && nextRotation(schedule, lastRotation, now);
  }

  /** After a rotation that failed: the next attempt has to wait, longer each time. */
  async postpone(): Promise<void> {
    const { retryDelay, maxRetryDelay } = await this.#limits();
    const doubled = Math.min(retryDelay * 2 ** this.#failures, maxRetryDelay);
    this.#failures += 1;
    this.#nextTry.postpone(this.#clock.now(), Math.max(doubled, MIN_DELAY) * 1000);
  }

  async #limits(): Promise<{ readonly retryDelay: number; readonly maxRetryDelay: number }> {
    try {
      return await this.#root.withCredential(await this.#root.credential());
    } catch {
      return { retryDelay: FALLBACK_DELAY, maxRetryDelay: FALLBACK_DELAY };
    }
  }

  #reportMissed(schedule: RotationSchedule, lastRotation: number | undefined, now: number): void {
    const missed = missedRotation(schedule, lastRotation, Math.min(this.#reported, now), now);
    if (missed === undefined) return;
    this.#reported = lastClosed(schedule, now);
    const next = nextRotation(schedule, lastRotation, now);
    this.#logger.error('a scheduled root rotation did not happen within its window', {
      scheduled: new Date(missed).toISOString(),
      ...(next !== undefined && { next: new Date(next).toISOString() }),
    });
  }
}
