/** Whether `work` came to its end before `signal` aborted. The work goes on either way; `work` must not reject. */
export function untilAborted(work: Promise<void>, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    if (signal.aborted) {
      resolve(false);
      return;
    }
    const abort = (): void => resolve(false);
    signal.addEventListener('abort', abort, { once: true });
    void work.then(() => {
      signal.removeEventListener('abort', abort);
      resolve(true);
    });
  });
}
