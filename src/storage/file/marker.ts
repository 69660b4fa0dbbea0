import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Disk, DiskEntry } from './disk.js';
import type { DurableFiles } from './durable-files.js';
import { storageFailed } from './failures.js';
import { Seal } from './seal.js';

const SALT = 32;
/** Outside the names that values can have: those begin with `v`, `c` or `d`. */
const NAME = 'marker';

/**
 * Reads the file that makes a directory a storage and tells a right key from a wrong one, or writes it into a directory
 * that is not a storage yet. It holds the directory's salt and a sealed nothing.
 *
 * @param entries - what the directory has at its top
 * @throws AuthMethodError `storage_failed` naming the file when it is damaged, missing beside values, or of another key
 */
export async function loadSeal(
  directory: string,
  key: Uint8Array,
  entries: readonly DiskEntry[],
  disk: Disk,
  files: DurableFiles,
): Promise<Seal> {
  const path = join(directory, NAME);
  const names = entries.map(({ name }) => name);
  if (names.includes(NAME)) return check(path, await disk.read(path), key);
  if (names.includes('values'))
    throw storageFailed(`${path} is missing, and without it nothing in ${directory} can be read`);

  const salt = randomBytes(SALT);
  const seal = new Seal(key, salt);
  await files.replace(path, Buffer.concat([salt, seal.close(NAME, new Uint8Array())]));
  return seal;
}

function check(path: string, content: Buffer, key: Uint8Array): Seal {
  const seal = new Seal(key, content.subarray(0, SALT));
  try {
    seal.open(NAME, content.subarray(SALT));
  } catch (cause) {
    throw storageFailed(
      `${path} does not open: the key is not the one this storage was made with, or the file is damaged`,
      cause,
    );
  }
  return seal;
}
