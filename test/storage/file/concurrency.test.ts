import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { nodeDisk } from '../../../src/storage/file/disk.js';
import { GroupedSync } from '../../../src/storage/file/grouped-sync.js';
import { KeyedQueue } from '../../../src/storage/file/keyed-queue.js';
import type { Disk } from '../../../src/storage/index.js';
import { bytes, freshDirectory, openStorage, text } from './support.js';

/** Lets all that needs no outside event run. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('syncs of one folder', () => {
  function heldSyncs(): { syncs: GroupedSync; started: { path: string; end: (error?: Error) => void }[] } {
    const started: { path: string; end: (error?: Error) => void }[] = [];
    const syncs = new GroupedSync(
      (path) =>
        new Promise((resolve, reject) => {
          started.push({ path, end: (error) => (error ? reject(error) : resolve()) });
        }),
    );
    return { syncs, started };
  }

  it('are shared by all who ask while another runs, and begin after they asked', async () => {
    const { syncs, started } = heldSyncs();
    const done: string[] = [];
    const ask = (name: string): Promise<unknown> => syncs.sync('a').then(() => done.push(name));
    const all = [ask('first'), ask('second'), ask('third')];
    expect(started).toHaveLength(1);
    started[0]!.end();
    await settled();
    expect({ done, started: started.length }).toEqual({ done: ['first'], started: 2 });
    all.push(ask('fourth'));
    started[1]!.end();
    await settled();
    expect({ done, started: started.length }).toEqual({ done: ['first', 'second', 'third'], started: 3 });
    started[2]!.end();
    await Promise.all(all);
  });

  it('fail for those who share them only', async () => {
    const { syncs, started } = heldSyncs();
    const outcomes = Promise.allSettled([syncs.sync('a'), syncs.sync('a'), syncs.sync('a')]);
    started[0]!.end(new Error('first'));
    await settled();
    started[1]!.end();
    expect((await outcomes).map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled']);
    const later = syncs.sync('a');
    started[2]!.end();
    await later;
  });

  it('do not wait for other folders', () => {
    const { syncs, started } = heldSyncs();
    void syncs.sync('a');
    void syncs.sync('b');
    expect(started.map(({ path }) => path)).toEqual(['a', 'b']);
  });
});

describe('tasks of one name', () => {
  it('take turns, also after one that failed, and leave other names alone', async () => {
    const queue = new KeyedQueue();
    const log: string[] = [];
    const task =
      (name: string, fails = false) =>
      async (): Promise<void> => {
        log.push(`${name} begins`);
        await settled();
        log.push(`${name} ends`);
        if (fails) throw new Error(name);
      };
    await Promise.allSettled([
      queue.run('a', task('a1', true)),
      queue.run('a', task('a2')),
      queue.run('b', task('b1')),
    ]);
    expect(log.filter((line) => line.startsWith('a'))).toEqual(['a1 begins', 'a1 ends', 'a2 begins', 'a2 ends']);
    expect(log.indexOf('b1 begins')).toBeLessThan(log.indexOf('a2 begins'));
  });
});

describe('a storage on disk', () => {
  it('writes keys of one folder at once and shares their syncs', async () => {
    let syncs = 0;
    const waiting: (() => void)[] = [];
    const disk: Disk = {
      ...nodeDisk,
      // No file is finished before all are under way.
      create: async (path, content) => {
        await nodeDisk.create(path, content);
        await new Promise<void>((resolve) => {
          waiting.push(resolve);
          if (waiting.length === 50) for (const go of waiting) go();
        });
      },
      syncDirectory: (path) => {
        syncs += 1;
        return nodeDisk.syncDirectory(path);
      },
    };
    const directory = freshDirectory();
    await (await openStorage(directory)).close();
    const storage = await openStorage(directory, disk);
    syncs = 0;
    await Promise.all(Array.from({ length: 50 }, (_, index) => storage.put(`role/${index}`, bytes('1'))));
    expect(await storage.list('role/')).toHaveLength(50);
    // One for the name of the folder; the files share the others.
    expect(syncs).toBeLessThan(50);
  });

  it('loses nothing when folders come and go under many writers', async () => {
    const directory = freshDirectory();
    const storage = await openStorage(directory);
    const keys = ['a/1', 'a/2', 'a/b/1', 'a/b/c/1', 'd/1', 'd/e/1'];
    const writer = async (key: string): Promise<void> => {
      for (let round = 0; round < 60; round += 1) {
        await storage.put(key, bytes(`${round}`));
        expect(text(await storage.get(key))).toBe(`${round}`);
        await storage.delete(key);
        expect(await storage.get(key)).toBeUndefined();
      }
    };
    await Promise.all(keys.map(writer));
    expect(readdirSync(join(directory, 'values'))).toEqual([]);
  }, 60_000);
});
