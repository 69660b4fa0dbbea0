import { dirname, join, resolve } from 'node:path';
import type { Storage } from '../../contract/index.js';
import { AuthMethodError } from '../../contract/index.js';
import { assertKey, assertPrefix } from '../keys.js';
import { prepareDirectory } from './directory.js';
import { DirectoryLock } from './directory-lock.js';
import type { Disk } from './disk.js';
import { nodeDisk } from './disk.js';
import { DurableFiles } from './durable-files.js';
import { ifThere, reasonOf, storageFailed, unlessThere } from './failures.js';
import { folderPath, valuePath } from './file-names.js';
import { Folders } from './folders.js';
import { KeyedQueue } from './keyed-queue.js';
import { childrenOf, hasValues } from './listing.js';
import { loadSeal } from './marker.js';
import type { Seal } from './seal.js';

const KEY_BYTES = 32;

/** What {@link FileStorage.open} takes. */
export interface FileStorageOptions {
  /** Where everything is kept. Made, with mode 0700, when it is not there. */
  readonly directory: string;
  /** 32 secret bytes; see {@link readStorageKey}. */
  readonly key: Uint8Array;
  /** How the disk is reached. This machine's by default; tests bring one that fails. */
  readonly disk?: Disk;
}

/**
 * Keeps everything in one directory of a local disk: for a single server that must survive restarts and crashes.
 *
 * - Each value is a file of its own, sealed with AES-256-GCM and bound to its name, mode 0600. Names of keys can be read
 *   from the names of files; values cannot be read without the key. A file that is damaged, cut short, swapped or of another
 *   key makes reading its key reject, naming the file; it never counts as missing.
 * - A write or deletion that has resolved survives a crash of process or machine. One that was under way is whole or did
 *   not happen. One that rejected (full disk, read-only file system) left the old value in place, unless only the very last
 *   step failed, the sync of the folder: then the new value is read, and a crash of the machine may bring back the old one.
 * - One process at a time has the directory, also across containers of one machine that share it. The lock ends with the
 *   process, however that ends. Network file systems are not for this: their clients do not see each other's locks.
 * - The directory must belong to the user of the process and must not be writable by others.
 * - The disk limits keys: a path below the directory takes about 4000 bytes on Linux, one per lower-case letter, three per
 *   other ASCII character, six per any other. Longer keys cannot be written, and read as missing.
 * - There is no `transaction`: several files do not change as one.
 *
 * Every failure is an AuthMethodError `storage_failed`.
 */
export class FileStorage implements Storage {
  readonly #values: string;
  readonly #disk: Disk;
  readonly #seal: Seal;
  readonly #lock: DirectoryLock;
  readonly #files: DurableFiles;
  readonly #folders: Folders;
  readonly #writes = new KeyedQueue();
  readonly #underWay = new Set<Promise<unknown>>();
  #closing: Promise<void> | undefined;

  private constructor(values: string, disk: Disk, seal: Seal, lock: DirectoryLock, files: DurableFiles) {
    this.#values = values;
    this.#disk = disk;
    this.#seal = seal;
    this.#lock = lock;
    this.#files = files;
    this.#folders = new Folders(values, disk, files.syncs);
  }

  /**
   * Opens a directory, or makes a new storage in one that is empty or missing. Reads no values, however many there are.
   *
   * @throws AuthMethodError `storage_failed` when another process has the directory, the key is not the right one, the
   * marker file is damaged, others may write to the directory, it holds something else, or the disk fails
   */
  static async open({ directory, key, disk = nodeDisk }: FileStorageOptions): Promise<FileStorage> {
    if (key.length !== KEY_BYTES) throw storageFailed(`the key has ${key.length} bytes, and takes ${KEY_BYTES}`);
    const path = resolve(directory);
    return openFailures(path, async () => {
      await prepareDirectory(path, disk);
      const lock = await DirectoryLock.take(path);
      try {
        return await FileStorage.#openLocked(path, key, disk, lock);
      } catch (error) {
        await lock.release();
        throw error;
      }
    });
  }

  static async #openLocked(path: string, key: Uint8Array, disk: Disk, lock: DirectoryLock): Promise<FileStorage> {
    const drafts = join(path, 'drafts');
    const values = join(path, 'values');
    const files = new DurableFiles(disk, drafts);
    await unlessThere(disk.makeDirectory(drafts));
    await files.sweep();
    const seal = await loadSeal(path, key, await disk.entries(path), disk, files);
    await unlessThere(disk.makeDirectory(values));
    await disk.syncDirectory(path);
    return new FileStorage(values, disk, seal, lock, files);
  }

  async get(key: string): Promise<Uint8Array | undefined> {
    assertKey(key);
    const name = valuePath(key);
    const content = await this.#tracked(`read ${fileOf(key, name)}`, () =>
      ifThere(this.#disk.read(join(this.#values, name))),
    );
    if (content === undefined) return undefined;
    try {
      return new Uint8Array(this.#seal.open(name, content));
    } catch (cause) {
      throw storageFailed(`${fileOf(key, name)} is damaged, or was written as another`, cause);
    }
  }

  async put(key: string, value: Uint8Array): Promise<void> {
    assertKey(key);
    const name = valuePath(key);
    // Sealed at once, because the bytes are the caller's to reuse.
    const content = this.#seal.close(name, value);
    await this.#tracked(`write ${fileOf(key, name)}`, () =>
      this.#writes.run(key, () =>
        this.#folders.filling(folderOf(name), () => this.#files.replace(join(this.#values, name), content)),
      ),
    );
  }

  async delete(key: string): Promise<void> {
    assertKey(key);
    const name = valuePath(key);
    await this.#tracked(`delete ${fileOf(key, name)}`, () =>
      this.#writes.run(key, () =>
        this.#folders.emptying(folderOf(name), () => this.#files.remove(join(this.#values, name))),
      ),
    );
  }

  async list(prefix: string): Promise<string[]> {
    return this.listPage(prefix, '', Infinity);
  }

  async listPage(prefix: string, after: string, limit: number): Promise<string[]> {
    assertPrefix(prefix);
    const folder = join(this.#values, folderPath(prefix));
    return this.#tracked(`list ${JSON.stringify(prefix)}`, async () => {
      const children = await childrenOf(this.#disk, folder);
      const page: string[] = [];
      for (const name of [...children.keys()].sort()) {
        if (page.length >= limit) break;
        if (name <= after) continue;
        const path = children.get(name);
        if (path === undefined || (await hasValues(this.#disk, path))) page.push(name);
      }
      return page;
    });
  }

  /** Waits for what is under way and lets go of the directory. From the call on, everything else rejects. */
  async close(): Promise<void> {
    this.#closing ??= Promise.allSettled(this.#underWay).then(() => this.#lock.release());
    await this.#closing;
  }

  async #tracked<T>(what: string, operation: () => Promise<T>): Promise<T> {
    if (this.#closing !== undefined) throw storageFailed(`cannot ${what}: it is closed`);
    const running = operation();
    this.#underWay.add(running);
    try {
      return await running;
    } catch (cause) {
      throw storageFailed(`cannot ${what}: ${reasonOf(cause)}`, cause);
    } finally {
      this.#underWay.delete(running);
    }
  }
}

/** How errors name a key, and where to look. */
function fileOf(key: string, name: string): string {
  return `${JSON.stringify(key)} (file values/${name})`;
}

/** The folder of a value's file; empty for the top. */
function folderOf(name: string): string {
  const folder = dirname(name);
  return folder === '.' ? '' : folder;
}

async function openFailures<T>(directory: string, open: () => Promise<T>): Promise<T> {
  try {
    return await open();
  } catch (error) {
    if (error instanceof AuthMethodError) throw error;
    throw storageFailed(`cannot open ${directory}: ${reasonOf(error)}`, error);
  }
}
