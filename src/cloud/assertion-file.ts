import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { AuthMethodError } from '../contract/index.js';

const MAX_SIZE = 65_536;
const COMPACT_JWT = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/**
 * Reads the signed token that the file which `AZURE_FEDERATED_TOKEN_FILE` names holds. To be read for each use: the file is
 * replaced about every hour.
 *
 * @throws `not_configured` when it holds none, or cannot be read.
 */
export async function readAssertionFile(path: string): Promise<string> {
  const text = await readBounded(path).catch(() => '');
  // Whatever else the variable may name by mistake is not sent to anybody.
  if (COMPACT_JWT.test(text)) return text;
  throw new AuthMethodError(
    'not_configured',
    'The file that AZURE_FEDERATED_TOKEN_FILE names cannot be read or holds no signed token.',
  );
}

async function readBounded(path: string): Promise<string> {
  // Opening a pipe would otherwise wait for somebody to write, and nothing ends that.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(MAX_SIZE + 1), 0, MAX_SIZE + 1, 0);
    return bytesRead > MAX_SIZE ? '' : buffer.toString('utf8', 0, bytesRead).trim();
  } finally {
    await file.close();
  }
}
