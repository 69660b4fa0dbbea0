import { AuthMethodError } from '../contract/index.js';
import { untilAborted } from './signals.js';

/** What {@link Lanes} takes. */
export interface LaneLimits {
  /** Pieces of work in all lanes together, those at work included; one lane may hold half of them. */
  readonly maxWaiting: number;
  /** Pieces of work of one lane at work at a time. */
  readonly maxAtWork: number;
}

interface Lane {
  atWork: number;
  /** In order of arrival; each lets one piece of work begin. */
  readonly queue: Set<() => void>;
}

/**
 * Keeps work that depends on different things apart, so that one slow thing holds up no more than its own lane: work begins
 * in order of arrival within its lane, and neither sockets nor waiting room are ever all taken by one lane.
 */
export class Lanes {
  readonly #lanes = new Map<string, Lane>();
  #waiting = 0;

  constructor(private readonly limits: LaneLimits) {}

  /**
   * Runs work when its turn comes. Rejects with `provider_unavailable` at once when there is no room to wait, and with an
   * `OutboundError` when the signal aborts before its turn.
   */
  async run<T>(name: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const lane = this.#enter(name);
    try {
      await this.#turn(lane, signal);
      try {
        return await work();
      } finally {
        this.#pass(lane);
      }
    } finally {
      this.#waiting -= 1;
      if (lane.atWork === 0 && lane.queue.size === 0) this.#lanes.delete(name);
    }
  }

  #enter(name: string): Lane {
    const { maxWaiting } = this.limits;
    const lane = this.#lanes.get(name) ?? { atWork: 0, queue: new Set() };
    if (this.#waiting >= maxWaiting || lane.atWork + lane.queue.size >= Math.ceil(maxWaiting / 2)) {
      throw new AuthMethodError('provider_unavailable', 'Too many logins wait for the cloud.', { retryAfter: 1 });
    }
    this.#waiting += 1;
    this.#lanes.set(name, lane);
    return lane;
  }

  async #turn(lane: Lane, signal: AbortSignal): Promise<void> {
    if (lane.atWork < this.limits.maxAtWork) {
      lane.atWork += 1;
      return;
    }
    let begin = (): void => undefined;
    const turn = new Promise<void>((resolve) => (begin = resolve));
    lane.queue.add(begin);
    try {
      await untilAborted(turn, signal);
    } catch (error) {
      // The turn may have come together with the end of the patience.
      if (!lane.queue.delete(begin)) this.#pass(lane);
      throw error;
    }
  }

  /** Hands the place of work that has ended to the next in line. */
  #pass(lane: Lane): void {
    const [next] = lane.queue;
    if (next === undefined) {
      lane.atWork -= 1;
      return;
    }
    lane.queue.delete(next);
    next();
  }
}
