import { open } from 'node:fs/promises';
import { AuthMethodError } from '../../contract/index.js';

/** Bytes that a key file may have; enough for any spelling of a key and some white space. */
const MAX_FILE = 1024;

/** Where the key of a file storage is: in a file, or in an environment variable of that name. */
export type StorageKeySource = { readonly file: string } | { readonly env: string };

/**
 * Reads the key of a file storage: 32 random bytes in hexadecimal or base64, white space around them ignored. For instance
 * `openssl rand -base64 32`.
 *
 * A file must belong to the user of this process or to root, and its mode must be 0600 or stricter.
 *
 * @param environment - where variables are looked up; the process's own by default
 * @returns 32 bytes
 * @throws AuthMethodError `not_configured` naming the file or variable and what is wrong with it, never what it holds
 */
export async function readStorageKey(
  source: StorageKeySource,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Promise<Uint8Array> {
  if ('file' in source) {
    const name = `the file ${source.file}`;
    return parse(name, await readPrivateFile(name, source.file));
  }
  const name = `the environment variable ${source.env}`;
  const text = environment[source.env];
  if (text === undefined || text === '') throw unusable(name, 'it is not set');
  return parse(name, text);
}

async function readPrivateFile(name: string, path: string): Promise<string> {
  try {
    const handle = await open(path, 'r');
    try {
      const stat = await handle.stat();
      if (!stat.isFile()) throw unusable(name, 'it is not a file');
      if (stat.uid !== process.getuid?.() && stat.uid !== 0)
        throw unusable(name, `it belongs to user ${stat.uid}, and must belong to the user of this process or to root`);
      if ((stat.mode & 0o077) !== 0)
        throw unusable(name, `its mode is 0${(stat.mode & 0o777).toString(8)}, and must be 0600 or stricter`);
      if (stat.size > MAX_FILE) throw unusable(name, `it has ${stat.size} bytes, and takes a key of 32 bytes`);
      return await handle.readFile('utf8');
    } finally {
      await handle.close();
    }
  } catch (error) {
    throw error instanceof AuthMethodError ? error : unusable(name, 'it cannot be read', error);
  }
}

function parse(name: string, content: string): Uint8Array {
  const text = content.trim();
  if (/^[0-9a-f]{64}$/i.test(text)) return new Uint8Array(Buffer.from(text, 'hex'));
  if (/^[A-Za-z0-9+/]{43}=?$/.test(text)) return new Uint8Array(Buffer.from(text, 'base64'));
  throw unusable(name, 'it takes 32 bytes as 64 hexadecimal digits or as base64');
}

function unusable(name: string, why: string, cause?: unknown): AuthMethodError {
  return new AuthMethodError('not_configured', `storage key: ${name} cannot be used: ${why}`, { cause });
}
