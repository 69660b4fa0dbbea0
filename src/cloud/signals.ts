import { setMaxListeners } from 'node:events';
import { OutboundError } from '../contract/index.js';
import type { Clock } from '../contract/index.js';

/**
 * Waits for shared work on behalf of one caller: rejects with an `OutboundError` when the caller's signal aborts, while the
 * work goes on for the others.
 */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(new OutboundError('aborted', 'The caller stopped waiting.'));
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    void work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

const DEADLINE = Symbol('deadline');

/** When a signal of {@link withDeadline} aborts, in milliseconds since the Unix epoch; `undefined` for any other signal. */
export function deadlineOf(signal: AbortSignal): number | undefined {
  return (signal as { readonly [DEADLINE]?: number })[DEADLINE];
}

/** Runs work under a signal of its own, which aborts after that many milliseconds. */
export async function withDeadline<T>(
  clock: Clock,
  milliseconds: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const deadline = new AbortController();
  // The work may send any number of requests side by side.
  setMaxListeners(0, deadline.signal);
  const signal = Object.assign(deadline.signal, { [DEADLINE]: clock.now() + milliseconds });
  const done = new AbortController();
  clock.sleep(milliseconds, done.signal).then(
    () => deadline.abort(),
    () => undefined,
  );
  try {
    return await work(signal);
  } finally {
    done.abort();
  }
}
