// Storage that counts its writes, and at which something happens to one of them.

export class Mishaps {
  writes = [];
  #plan;

  /** Counts from here on. `plan`: from which write on, how many, before or after; with a system error, or the end of the process. */
  set(plan) {
    this.writes = [];
    this.#plan = plan;
  }

  watch(storage, written) {
    const write = async (name, key, work) => {
      const at = this.writes.push(`${name} ${key}`);
      await this.#befall(at, 'before');
      await work();
      written(key);
      await this.#befall(at, 'after');
    };
    return {
      get: (key) => storage.get(key),
      list: (prefix) => storage.list(prefix),
      put: (key, value) => write('put', key, () => storage.put(key, value)),
      delete: (key) => write('delete', key, () => storage.delete(key)),
    };
  }

  async #befall(number, moment) {
    const { at = Infinity, times = 1, when, code } = this.#plan ?? {};
    if (moment !== when || number < at || number >= at + times) return;
    if (code !== undefined) throw Object.assign(new Error(code), { code });
    process.kill(process.pid, 'SIGKILL');
    await new Promise(() => undefined);
  }
}
