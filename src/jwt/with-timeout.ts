import type { Clock } from '../contract/index.js';

/** Runs work under a signal that aborts after that many milliseconds, or with `signal`. */
export async function withTimeout<T>(
  clock: Clock,
  milliseconds: number,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const timeout = new AbortController();
  const finished = new AbortController();
  clock.sleep(milliseconds, finished.signal).then(
    () => timeout.abort(),
    () => undefined,
  );
  try {
    return await work(AbortSignal.any([timeout.signal, signal]));
  } finally {
    finished.abort();
  }
}
