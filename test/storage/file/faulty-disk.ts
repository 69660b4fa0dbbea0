import { writeFile } from 'node:fs/promises';
import { nodeDisk } from '../../../src/storage/file/disk.js';
import type { Disk } from '../../../src/storage/index.js';

type Change = 'create' | 'rename' | 'unlink' | 'makeDirectory' | 'removeDirectory' | 'syncDirectory';

/** The disk of this machine, on which chosen changes fail. */
export class FaultyDisk implements Disk {
  /** What was asked for, in order, failed ones included. */
  readonly changes: Change[] = [];
  /** The change that fails, counted from 1 since it was set; 0 for none, Infinity for all. */
  failing = 0;
  code = 'EIO';

  readonly read: Disk['read'] = (path) => nodeDisk.read(path);
  readonly entries: Disk['entries'] = (path) => nodeDisk.entries(path);
  readonly someEntries: Disk['someEntries'] = (path) => nodeDisk.someEntries(path);
  readonly rename: Disk['rename'] = (from, to) => this.#change('rename', () => nodeDisk.rename(from, to));
  readonly unlink: Disk['unlink'] = (path) => this.#change('unlink', () => nodeDisk.unlink(path));
  readonly makeDirectory: Disk['makeDirectory'] = (path) =>
    this.#change('makeDirectory', () => nodeDisk.makeDirectory(path));
  readonly removeDirectory: Disk['removeDirectory'] = (path) =>
    this.#change('removeDirectory', () => nodeDisk.removeDirectory(path));
  readonly syncDirectory: Disk['syncDirectory'] = (path) =>
    this.#change('syncDirectory', () => nodeDisk.syncDirectory(path));

  /** Fails like a full disk does: with half of the file written. */
  readonly create: Disk['create'] = (path, content) =>
    this.#change(
      'create',
      () => nodeDisk.create(path, content),
      () => writeFile(path, content.subarray(0, content.length / 2)),
    );

  async #change(name: Change, work: () => Promise<void>, half?: () => Promise<void>): Promise<void> {
    this.changes.push(name);
    if (this.failing === 0) return work();
    if (this.failing > 1 && this.failing !== Infinity) {
      this.failing -= 1;
      return work();
    }
    if (this.failing === 1) this.failing = 0;
    await half?.();
    throw Object.assign(new Error('injected'), { code: this.code });
  }
}
