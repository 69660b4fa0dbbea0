import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { CommandFailure } from '../command-failure.js';
import { printable } from '../json-exchange.js';

const MAX_SIZE = 4_096;
const KEY_NAME = /^[\w-]{1,200}\.key$/;
// Neither a link to elsewhere nor a pipe that never ends is a key.
const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/**
 * Reads the key that the challenge of an Arc agent names. Whoever listens on the agent's port chooses that name and is sent what the
 * file holds: it must be a regular file of at most 4096 bytes with the ending `.key` in the agent's own directory.
 *
 * @param challenge - header `WWW-Authenticate`
 * @throws CommandFailure when it is not, or cannot be read.
 */
export async function readArcKey(challenge: string | null, directory: string): Promise<string> {
  const [, path] = /^Basic realm=(.+)$/i.exec(challenge ?? '') ?? [];
  if (path === undefined) throw new CommandFailure('the metadata service asks for a key and does not say which');
  const name = basename(path);
  if (!KEY_NAME.test(name) || join(resolve(directory), name) !== path) {
    throw new CommandFailure(
      `the metadata service asks for ${printable(path)}, which is not a key in ${directory}; --key-directory names another place`,
    );
  }
  const key = await readSmallFile(path);
  if (key === undefined) throw new CommandFailure(`the key ${path} is not a file of 1 to ${MAX_SIZE} bytes`);
  return key;
}

/** `undefined` unless it is a regular file of a good size. */
async function readSmallFile(path: string): Promise<string | undefined> {
  const file = await open(path, FLAGS).catch((error: unknown) => {
    const { code } = error as NodeJS.ErrnoException;
    throw new CommandFailure(`cannot read the key ${path} (${code}); is this user in the group himds?`);
  });
  try {
    if (!(await file.stat()).isFile()) return undefined;
    const { buffer, bytesRead } = await file.read(Buffer.alloc(MAX_SIZE + 1), 0, MAX_SIZE + 1, 0);
    return bytesRead > 0 && bytesRead <= MAX_SIZE ? buffer.toString('utf8', 0, bytesRead) : undefined;
  } finally {
    await file.close();
  }
}
