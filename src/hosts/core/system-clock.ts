import { setTimeout } from 'node:timers/promises';
import type { Clock } from '../../contract/index.js';

/** Longest delay that a timer takes; longer ones would fire at once. */
const MAX_TIMER = 2 ** 31 - 1;

/** The process's own clock. */
export const systemClock: Clock = {
  now: () => Date.now(),

  async sleep(milliseconds, signal) {
    let left = milliseconds;
    try {
      do {
        await setTimeout(Math.min(left, MAX_TIMER), undefined, signal && { signal });
        left -= MAX_TIMER;
      } while (left > 0);
    } catch (error) {
      throw signal?.reason ?? error;
    }
  },
};
