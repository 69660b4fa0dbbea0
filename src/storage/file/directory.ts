import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Disk } from './disk.js';
import { failedWith, storageFailed, unlessThere } from './failures.js';

/** What a storage directory has at its top, and what a fresh file system may bring along. */
const EXPECTED = new Set(['drafts', 'lock', 'marker', 'values', 'lost+found']);

/**
 * Makes the directory when it is not there, and looks whether it may be used: it belongs to the user of this process, nobody
 * else may write to it, and it is a storage or empty.
 *
 * @throws AuthMethodError `storage_failed` naming the directory and what is wrong with it
 */
export async function prepareDirectory(directory: string, disk: Disk): Promise<void> {
  await makeWithParents(directory, disk);
  const { uid, mode } = await stat(directory);
  if (uid !== process.getuid?.())
    throw storageFailed(`${directory} belongs to user ${uid}, and must belong to the user of this process`);
  if ((mode & 0o022) !== 0)
    throw storageFailed(
      `${directory} has mode 0${(mode & 0o777).toString(8)}, so others can write to it; take a directory below it that ` +
        'does not exist yet, it is made with mode 0700',
    );
  const names = (await disk.entries(directory)).map(({ name }) => name);
  const foreign = names.find((name) => !EXPECTED.has(name));
  if (foreign !== undefined && !names.includes('marker'))
    throw storageFailed(`${directory} is not a storage, and not empty: it has ${JSON.stringify(foreign)}`);
}

/** Every directory that is made is on the medium before anything is put into it. */
async function makeWithParents(directory: string, disk: Disk): Promise<void> {
  try {
    await mkdir(directory, { mode: 0o700 });
  } catch (error) {
    if (failedWith(error, 'EEXIST')) return;
    if (!failedWith(error, 'ENOENT')) throw error;
    await makeWithParents(dirname(directory), disk);
    await unlessThere(mkdir(directory, { mode: 0o700 }));
  }
  await disk.syncDirectory(dirname(directory));
}
