import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { link, mkdir, open, readdir, unlink } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import type { Server } from 'node:net';
import { join } from 'node:path';
import { failedWith, ifThere, reasonOf, storageFailed, unlessThere } from './failures.js';

/** The shortest limit of the systems we know for the path of a socket (macOS: 104 with its end; Linux: 108). */
const MAX_SOCKET_PATH = 103;

/**
 * Holds a directory for one process at a time, until {@link release} or the end of the process, be it by SIGKILL.
 *
 * The folder `lock` has numbered sockets. Whoever listens on the one with the highest number holds the directory; the
 * kernel stops listening when a process dies, whichever container or process id it had. To take over from the dead, a
 * process makes the next number. It wins if nobody made that number before, and if it is still the highest afterwards. Two
 * rules make this safe without a further lock: a socket gets its number (a hard link) only when it already listens, and the
 * highest number is never removed, not by its holder either. So a number that is free was never a holder's, and a process
 * that was delayed between looking and linking ends up below the highest and sees it.
 *
 * Socket files are of one machine. On a network file system, processes of two machines would not see each other.
 */
export class DirectoryLock {
  readonly #server: Server;
  readonly #folder: FileHandle;

  private constructor(server: Server, folder: FileHandle) {
    this.#server = server;
    this.#folder = folder;
  }

  /**
   * Takes the lock of a directory.
   *
   * @throws AuthMethodError `storage_failed` when another process, or another part of this one, holds it
   */
  static async take(directory: string): Promise<DirectoryLock> {
    const path = join(directory, 'lock');
    await unlessThere(mkdir(path, { mode: 0o700 }));
    const folder = await open(path, constants.O_RDONLY | constants.O_DIRECTORY);
    const server = createServer((socket) => socket.destroy()).unref();
    const lock = new DirectoryLock(server, folder);
    try {
      await lock.#take(directory, path);
      return lock;
    } catch (error) {
      await lock.release();
      throw error;
    }
  }

  /** Lets go. The socket file stays, dead, as a crash would leave it. */
  async release(): Promise<void> {
    await new Promise((resolve) => this.#server.close(resolve));
    await this.#folder.close();
  }

  async #take(directory: string, path: string): Promise<void> {
    const socket = `new-${randomUUID()}`;
    await listen(this.#server, socketPath(path, this.#folder, socket));
    for (;;) {
      const highest = highestOf(await readdir(path));
      if (highest > 0 && (await isHeld(socketPath(path, this.#folder, String(highest))))) throw held(directory);
      const mine = highest + 1;
      try {
        await link(join(path, socket), join(path, String(mine)));
      } catch (error) {
        if (failedWith(error, 'EEXIST')) continue;
        // Swept away as a leftover by one who has taken the lock since.
        if (failedWith(error, 'ENOENT')) throw held(directory);
        throw error;
      }
      const names = await readdir(path);
      if (highestOf(names) === mine) {
        await removeOthers(path, names, String(mine));
        return;
      }
      // A number below the highest holds nothing, and may go.
      await ifThere(unlink(join(path, String(mine))));
    }
  }
}

function held(directory: string): Error {
  return storageFailed(`${directory} is in use by another process; one at a time may have it`);
}

/** The highest number among the names; 0 when there is none. */
function highestOf(names: readonly string[]): number {
  return Math.max(0, ...names.filter((name) => /^[1-9][0-9]{0,14}$/.test(name)).map(Number));
}

async function removeOthers(path: string, names: readonly string[], mine: string): Promise<void> {
  for (const name of names) {
    if (name !== mine) await ifThere(unlink(join(path, name)));
  }
}

/** A path by which sockets can be reached. Long ones go through the open folder, where the system has that. */
function socketPath(path: string, folder: FileHandle, name: string): string {
  const whole = join(path, name);
  if (Buffer.byteLength(whole) <= MAX_SOCKET_PATH) return whole;
  if (process.platform === 'linux') return `/proc/self/fd/${folder.fd}/${name}`;
  throw storageFailed(`${path} is too long a path for the lock's socket, which takes ${MAX_SOCKET_PATH} bytes`);
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(storageFailed(`cannot make the lock ${path}: ${reasonOf(error)}`, error)));
    // Not shared with the primary of a cluster, which would outlive this process.
    server.listen({ path, exclusive: true }, resolve);
  });
}

/** Whether a process listens. Only a refused connection, or a name that is gone, says that none does. */
function isHeld(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', (error) => resolve(!failedWith(error, 'ECONNREFUSED', 'ENOENT')));
  });
}
