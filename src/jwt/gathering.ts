/**
 * Gathers work that comes up at the same time, so that it goes to the crypto threads together. Handed over one by one under load,
 * each signature would wake a thread that had just gone to sleep, which costs this thread more than all the rest of a login.
 */
export class Gathering {
  #departure: Promise<void> | undefined;

  /** Resolves when the event loop has served what is at hand: at once for a lone caller. */
  join(): Promise<void> {
    this.#departure ??= new Promise((resolve) => {
      setImmediate(() => {
        this.#departure = undefined;
        resolve();
      });
    });
    return this.#departure;
  }
}
