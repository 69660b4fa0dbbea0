/**
 * Lets callers who want the same folder synced at the same time share one sync. Each is served by a sync that began after
 * it asked, so what it did to the folder before is covered.
 */
export class GroupedSync {
  readonly #sync: (path: string) => Promise<void>;
  readonly #running = new Map<string, Promise<void>>();
  readonly #waiting = new Map<string, Promise<void>>();

  constructor(sync: (path: string) => Promise<void>) {
    this.#sync = sync;
  }

  /** Syncs a folder. Rejects, for all who share it, when the sync fails. */
  sync(path: string): Promise<void> {
    const waiting = this.#waiting.get(path);
    if (waiting !== undefined) return waiting;
    const running = this.#running.get(path);
    if (running === undefined) return this.#start(path);
    const next = running.then(
      () => this.#startWaiting(path),
      () => this.#startWaiting(path),
    );
    this.#waiting.set(path, next);
    return next;
  }

  #startWaiting(path: string): Promise<void> {
    this.#waiting.delete(path);
    return this.#start(path);
  }

  #start(path: string): Promise<void> {
    const running = this.#sync(path).finally(() => {
      if (this.#running.get(path) === running) this.#running.delete(path);
    });
    this.#running.set(path, running);
    return running;
  }
}
