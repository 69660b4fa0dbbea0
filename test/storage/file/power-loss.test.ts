import { mkdirSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { FileStorage } from '../../../src/storage/index.js';
import { ModelDisk } from './model-disk.js';
import { KEYS, valueOf } from './processes/storm-values.js';
import { freshDirectory, KEY, openStorage, text } from './support.js';

const CRASHES = 200;

/** Changes a key until the disk is gone; gives the number of the last change that was promised, 0 for none. */
async function change(storage: FileStorage, key: string): Promise<number> {
  for (let number = 1; ; number += 1) {
    try {
      const value = valueOf(key, number);
      await (value === undefined ? storage.delete(key) : storage.put(key, value));
    } catch {
      return number - 1;
    }
  }
}

it(`what was promised outlives the machine, wherever it stops, in ${CRASHES} crashes`, async () => {
  let promisedAtAll = 0;
  for (let seed = 1; seed <= CRASHES; seed += 1) {
    const directory = freshDirectory();
    mkdirSync(directory, { mode: 0o700 });
    const random = seeded(seed);
    const disk = new ModelDisk(directory, random, 1 + Math.floor(random() * 500));
    // A machine may stop while it opens, too.
    const first = await FileStorage.open({ directory, key: KEY, disk }).catch(() => undefined);
    const promised = await Promise.all(KEYS.map(async (key) => (first ? change(first, key) : 0)));
    await first?.close();

    const second = await openStorage(directory, disk.afterCrash());
    const kept: string[] = [];
    for (const [index, key] of KEYS.entries()) {
      const last = promised[index]!;
      const now = text(await second.get(key));
      const before = last === 0 ? undefined : text(valueOf(key, last));
      if (now !== before) expect({ seed, key, now }).toEqual({ seed, key, now: text(valueOf(key, last + 1)) });
      if (now !== undefined) kept.push(key.replace(/\/.*/, '/'));
      promisedAtAll += last;
    }
    expect(await second.list('')).toEqual([...new Set(kept)].sort());
    await second.close();
  }
  expect(promisedAtAll).toBeGreaterThan(CRASHES);
}, 120_000);

/** Numbers from 0 to 1 that are the same in each run (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
