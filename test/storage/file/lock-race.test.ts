import { EventEmitter, once } from 'node:events';
import * as files from 'node:fs/promises';
import { beforeEach, expect, it, jest } from '@jest/globals';

/** What happens before each call that the lock makes to the file system: nothing, or a wait. */
let before: (call: string, path: string) => Promise<unknown> = () => Promise.resolve();

jest.unstable_mockModule('node:fs/promises', () => {
  const later =
    <T>(name: string, call: (path: string, to: string) => Promise<T>) =>
    async (path: string, to: string): Promise<T> => {
      await before(name, path);
      return call(path, to);
    };
  return {
    ...files,
    link: later('link', files.link),
    readdir: later('readdir', (path) => files.readdir(path)),
    unlink: later('unlink', (path) => files.unlink(path)),
  };
});
// Imported now, so that they get the file system above.
const { DirectoryLock } = await import('../../../src/storage/file/directory-lock.js');
const { freshDirectory, openStorage } = await import('./support.js');

beforeEach(() => {
  before = () => Promise.resolve();
});

/** A directory whose last holder is gone. */
async function abandoned(): Promise<string> {
  const directory = freshDirectory();
  await (await openStorage(directory)).close();
  return directory;
}

it('one who was delayed between looking and taking does not get what others have had since', async () => {
  const directory = await abandoned();
  const goOn = new EventEmitter();
  const delayed = new Promise<void>((resolve) => {
    before = async (call) => {
      if (call !== 'link') return;
      // Others find nothing to wait for. Nor do they sweep: each dies before it gets there.
      before = (other, path) => (other === 'unlink' && /new-/.test(path) ? Promise.reject(gone()) : Promise.resolve());
      resolve();
      await once(goOn, 'now');
    };
  });
  const late = DirectoryLock.take(directory);
  await delayed;
  await (await DirectoryLock.take(directory)).release();
  const holder = await DirectoryLock.take(directory);
  goOn.emit('now');
  await expect(late).rejects.toMatchObject({ code: 'storage_failed' });
  await holder.release();
  await (await DirectoryLock.take(directory)).release();
});

function gone(): Error {
  return Object.assign(new Error('not swept'), { code: 'ENOENT' });
}

it('of many at once exactly one gets it, whatever their order', async () => {
  const directory = await abandoned();
  before = someTurns;
  for (let round = 0; round < 40; round += 1) {
    const outcomes = await Promise.allSettled(Array.from({ length: 12 }, () => DirectoryLock.take(directory)));
    const locks = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
    await Promise.all(locks.map((lock) => lock.release()));
    expect(locks).toHaveLength(1);
  }
}, 60_000);

it('never two have it while they come and go all the time', async () => {
  const directory = await abandoned();
  before = someTurns;
  let holders = 0;
  let taken = 0;
  const contender = async (): Promise<void> => {
    for (let attempt = 0; attempt < 150; attempt += 1) {
      const lock = await DirectoryLock.take(directory).catch(() => undefined);
      if (lock === undefined) continue;
      holders += 1;
      expect(holders).toBe(1);
      await someTurns();
      expect(holders).toBe(1);
      holders -= 1;
      taken += 1;
      await lock.release();
    }
  };
  await Promise.all(Array.from({ length: 6 }, contender));
  expect(taken).toBeGreaterThan(6);
}, 60_000);

async function someTurns(): Promise<void> {
  for (let turns = Math.floor(Math.random() * 6); turns > 0; turns -= 1)
    await new Promise((resolve) => setImmediate(resolve));
}
