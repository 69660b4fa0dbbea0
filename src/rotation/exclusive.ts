/** Lets one piece of work at a time touch the state of a rotation, in the order of asking, and lets it be hurried. */
export class Exclusive {
  readonly #closing: AbortSignal;
  #interruption = new AbortController();
  #tail: Promise<unknown> = Promise.resolve();

  constructor(closing: AbortSignal) {
    this.#closing = closing;
  }

  /** Aborts when what waits at this moment is to give way. */
  get signal(): AbortSignal {
    return AbortSignal.any([this.#closing, this.#interruption.signal]);
  }

  /** Passes on what `work` gives or throws. Failed work does not stop what comes after it. */
  run<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#tail.then(work);
    this.#tail = turn.catch(() => undefined);
    return turn;
  }

  /** Ends what the work in flight waits for. */
  interrupt(): void {
    this.#interruption.abort();
    this.#interruption = new AbortController();
  }

  /** Resolves when all work that was asked for has ended. */
  async idle(): Promise<void> {
    await this.#tail;
  }
}
