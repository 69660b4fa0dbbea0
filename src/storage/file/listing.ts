import { join } from 'node:path';
import type { Disk } from './disk.js';
import { ifThere, isMissing } from './failures.js';
import { segmentOf } from './file-names.js';

/**
 * The names below a folder as `Storage.list` spells them: values map to undefined, folders to their paths. A folder may turn
 * out to hold no value. Files that are not ours are not there.
 *
 * @param folder - whole path; one that is missing has no children
 */
export async function childrenOf(disk: Disk, folder: string): Promise<Map<string, string | undefined>> {
  const found = new Map<string, string | undefined>();
  await collect(disk, folder, '', found);
  return found;
}

/** Whether there is a value in a folder or below it. */
export async function hasValues(disk: Disk, folder: string): Promise<boolean> {
  try {
    for await (const entry of disk.someEntries(folder)) {
      const found = entry.isDirectory() ? await hasValues(disk, join(folder, entry.name)) : entry.name.startsWith('v');
      if (found) return true;
    }
    return false;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

async function collect(
  disk: Disk,
  folder: string,
  continued: string,
  found: Map<string, string | undefined>,
): Promise<void> {
  for (const entry of (await ifThere(disk.entries(join(folder, continued)))) ?? []) {
    const path = continued + entry.name;
    if (entry.isDirectory() && entry.name.startsWith('c')) {
      await collect(disk, folder, `${path}/`, found);
      continue;
    }
    const segment = entry.isDirectory() === entry.name.startsWith('d') ? segmentOf(path) : undefined;
    if (segment === undefined) continue;
    if (entry.isDirectory()) found.set(`${segment}/`, join(folder, path));
    else found.set(segment, undefined);
  }
}
