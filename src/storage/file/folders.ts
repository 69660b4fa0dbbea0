import { join } from 'node:path';
import type { Disk } from './disk.js';
import { isMissing, unlessThere } from './failures.js';
import type { GroupedSync } from './grouped-sync.js';
import { KeyedQueue } from './keyed-queue.js';

/**
 * Makes folders when values need them and removes them when they are empty, so that neither pulls one from under the other:
 * a folder in use stays, and making and removing of one folder take turns. Paths are relative to the root.
 */
export class Folders {
  readonly #root: string;
  readonly #disk: Disk;
  readonly #syncs: GroupedSync;
  readonly #turns = new KeyedQueue();
  /** How many writers are at work in a folder or below. */
  readonly #users = new Map<string, number>();
  /** Folders whose own names are known to be on the medium. */
  readonly #settled = new Set<string>();

  /**
   * @param root - a folder that exists
   * @param syncs - how folders are synced, by whole paths
   */
  constructor(root: string, disk: Disk, syncs: GroupedSync) {
    this.#root = root;
    this.#disk = disk;
    this.#syncs = syncs;
  }

  /** Runs work that puts something into a folder, which is there, on the medium, and stays meanwhile. */
  async filling(folder: string, work: () => Promise<void>): Promise<void> {
    const chain = outermostFirst(folder);
    await this.#using(chain, async () => {
      try {
        for (const each of chain) await this.#make(each);
        await work();
      } catch (error) {
        // Whatever went wrong, the next writer looks afresh.
        for (const each of chain) this.#settled.delete(each);
        throw error;
      }
    });
  }

  /**
   * Runs work that takes something out of a folder for good, if there is one, and then removes the folder and those around
   * it as far as they are empty. The folder stays meanwhile: the work could not sync one that another has just removed.
   */
  async emptying(folder: string, work: () => Promise<void>): Promise<void> {
    const chain = outermostFirst(folder);
    await this.#using(chain, work);
    for (const each of chain.reverse()) {
      if (!(await this.#turns.run(each, () => this.#remove(each)))) return;
    }
  }

  async #using(chain: readonly string[], work: () => Promise<void>): Promise<void> {
    for (const each of chain) this.#users.set(each, (this.#users.get(each) ?? 0) + 1);
    try {
      await work();
    } finally {
      for (const each of chain) {
        const others = (this.#users.get(each) ?? 0) - 1;
        if (others > 0) this.#users.set(each, others);
        else this.#users.delete(each);
      }
    }
  }

  async #make(folder: string): Promise<void> {
    if (this.#settled.has(folder)) return;
    await this.#turns.run(folder, async () => {
      if (this.#settled.has(folder)) return;
      const path = join(this.#root, folder);
      await unlessThere(this.#disk.makeDirectory(path));
      await this.#syncs.sync(join(path, '..'));
      this.#settled.add(folder);
    });
  }

  /** Says whether the folder is gone. An empty one that stays does no harm, so this never rejects. */
  async #remove(folder: string): Promise<boolean> {
    if (this.#users.has(folder)) return false;
    const wasSettled = this.#settled.delete(folder);
    try {
      await this.#disk.removeDirectory(join(this.#root, folder));
      return true;
    } catch (error) {
      if (isMissing(error)) return true;
      if (wasSettled) this.#settled.add(folder);
      return false;
    }
  }
}

/** `a/b` gives `a`, `a/b`; the root itself gives nothing. */
function outermostFirst(folder: string): string[] {
  const names = folder === '' ? [] : folder.split('/');
  return names.map((_, index) => names.slice(0, index + 1).join('/'));
}
