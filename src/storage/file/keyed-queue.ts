/** Runs tasks of one name one after another, in the order they came, and tasks of different names at once. */
export class KeyedQueue {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Runs a task once all earlier ones of its name have ended, however they ended. */
  async run<T>(name: string, task: () => Promise<T>): Promise<T> {
    const earlier = this.#last.get(name);
    const result = earlier === undefined ? task() : earlier.then(task, task);
    this.#last.set(name, result);
    try {
      return await result;
    } finally {
      if (this.#last.get(name) === result) this.#last.delete(name);
    }
  }
}
