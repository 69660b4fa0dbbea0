/** Time as the backend sees it, so that tests can turn it. Token checks, caches, retries and rotation all use it. */
export interface Clock {
  /** Milliseconds since the Unix epoch. May jump in either direction. */
  now(): number;

  /** Resolves after that many milliseconds. Rejects with the signal's reason as soon as the signal aborts. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}
