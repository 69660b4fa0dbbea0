import { dirname, join } from 'node:path';
import type { Disk } from './disk.js';
import { ifThere } from './failures.js';
import { GroupedSync } from './grouped-sync.js';

/**
 * Replaces and removes files so that a crash at any moment leaves the old file or the new one, and what was promised stays.
 * Files are written under a number in a folder of their own, on the same disk; leftovers there are swept at the next start.
 */
export class DurableFiles {
  /** Syncs of folders, shared with whoever makes folders. */
  readonly syncs: GroupedSync;
  readonly #disk: Disk;
  readonly #drafts: string;
  #count = 0;

  /** @param drafts - whole path of the folder for files that are being written */
  constructor(disk: Disk, drafts: string) {
    this.#disk = disk;
    this.#drafts = drafts;
    this.syncs = new GroupedSync((path) => disk.syncDirectory(path));
  }

  /** Removes what writers that died have left behind. */
  async sweep(): Promise<void> {
    for (const { name } of await this.#disk.entries(this.#drafts)) {
      if (/^[0-9]+$/.test(name)) await this.#disk.unlink(join(this.#drafts, name));
    }
  }

  /** Writes a file whole, in place of an earlier one. */
  async replace(path: string, content: Uint8Array): Promise<void> {
    this.#count += 1;
    const draft = join(this.#drafts, String(this.#count));
    try {
      await this.#disk.create(draft, content);
      await this.#disk.rename(draft, path);
    } catch (error) {
      // The first failure is the one to tell; a draft that stays is swept at the next start.
      await this.#disk.unlink(draft).catch(() => undefined);
      throw error;
    }
    await this.syncs.sync(dirname(path));
  }

  /** Removes a file. When it is gone already, that is made to last too: an earlier removal may have failed to. */
  async remove(path: string): Promise<void> {
    await ifThere(this.#disk.unlink(path));
    await ifThere(this.syncs.sync(dirname(path)));
  }
}
