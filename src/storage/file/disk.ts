import { constants } from 'node:fs';
import { mkdir, open, opendir, readdir, readFile, rename, rmdir, unlink } from 'node:fs/promises';

/** What an entry of a folder is called, and whether it is a folder itself. Links are not. */
export interface DiskEntry {
  readonly name: string;
  isDirectory(): boolean;
}

/** The few things that file storage asks of a disk. Failures are Node's, with their `code`. */
export interface Disk {
  /** The whole content of a file; `ELOOP` for a symbolic link. */
  read(path: string): Promise<Buffer>;
  /** Creates a file with mode 0600 and returns once its content is on the medium. The name may not be yet. */
  create(path: string, content: Uint8Array): Promise<void>;
  /** Moves a file, replacing what has that name. */
  rename(from: string, to: string): Promise<void>;
  unlink(path: string): Promise<void>;
  /** Makes a folder with mode 0700. */
  makeDirectory(path: string): Promise<void>;
  /** Removes an empty folder. */
  removeDirectory(path: string): Promise<void>;
  /** Returns once the names in a folder are on the medium. */
  syncDirectory(path: string): Promise<void>;
  entries(path: string): Promise<DiskEntry[]>;
  /** The same one by one, for a caller who needs the first few. */
  someEntries(path: string): AsyncIterable<DiskEntry>;
}

/** The disk of this machine. */
export const nodeDisk: Disk = {
  read: (path) => readFile(path, { flag: constants.O_RDONLY | constants.O_NOFOLLOW }),
  create: async (path, content) => {
    const handle = await open(path, 'wx', 0o600);
    try {
      await handle.writeFile(content);
      await handle.sync();
    } finally {
      await handle.close();
    }
  },
  rename,
  unlink,
  makeDirectory: async (path) => {
    await mkdir(path, { mode: 0o700 });
  },
  removeDirectory: rmdir,
  syncDirectory: async (path) => {
    const handle = await open(path, constants.O_RDONLY | constants.O_DIRECTORY);
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  },
  entries: (path) => readdir(path, { withFileTypes: true }),
  someEntries: async function* (path) {
    yield* await opendir(path);
  },
};
