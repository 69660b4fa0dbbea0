import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { FileStorage } from '../../../src/storage/index.js';
import { runStorageContract } from '../../../src/testing/storage-contract.js';
import { bytes, freshDirectory, KEY, openStorage, text } from './support.js';

runStorageContract('FileStorage', () => openStorage(freshDirectory()), { describe, it });

describe('a storage on disk', () => {
  it('keeps everything over a restart', async () => {
    const directory = freshDirectory();
    const first = await openStorage(directory);
    await first.put('config', bytes('1'));
    await first.put('role/dev', bytes('2'));
    await first.put('role/ops', bytes('3'));
    await first.delete('role/ops');
    await first.close();

    const second = await openStorage(directory);
    expect(await second.list('')).toEqual(['config', 'role/']);
    expect(await second.list('role/')).toEqual(['dev']);
    expect(text(await second.get('role/dev'))).toBe('2');
  });

  it('makes the directories that are missing, for its user alone', async () => {
    const directory = join(freshDirectory(), 'a', 'b');
    const storage = await openStorage(directory);
    await storage.put('role/dev', bytes('1'));
    const modes = everyPath(directory).map((path) => statSync(path));
    expect(new Set(modes.filter((stat) => stat.isDirectory()).map(({ mode }) => mode & 0o777))).toEqual(
      new Set([0o700]),
    );
    expect(new Set(modes.filter((stat) => stat.isFile()).map(({ mode }) => mode & 0o777))).toEqual(new Set([0o600]));
  });

  it('writes nothing of a value in the clear', async () => {
    const directory = freshDirectory();
    const storage = await openStorage(directory);
    await storage.put('config', bytes('canary-client-secret'));
    const contents = everyPath(directory).filter((path) => statSync(path).isFile());
    expect(contents.length).toBeGreaterThan(1);
    for (const path of contents) expect(readFileSync(path).includes('canary')).toBe(false);
  });

  it('seals the same value differently each time', async () => {
    const directory = freshDirectory();
    const storage = await openStorage(directory);
    await storage.put('config', bytes('1'));
    const first = readFileSync(join(directory, 'values/vconfig'));
    await storage.put('config', bytes('1'));
    expect(readFileSync(join(directory, 'values/vconfig')).equals(first)).toBe(false);
  });

  it('sweeps drafts that a crash left, and nothing else', async () => {
    const directory = freshDirectory();
    await (await openStorage(directory)).close();
    writeFileSync(join(directory, 'drafts/12'), 'half a val');
    writeFileSync(join(directory, 'drafts/notes.txt'), 'mine');
    await openStorage(directory);
    expect(readdirSync(join(directory, 'drafts'))).toEqual(['notes.txt']);
  });

  it('hides and takes over empty folders that a crash left', async () => {
    const directory = freshDirectory();
    const first = await openStorage(directory);
    mkdirSync(join(directory, 'values/drole/ddeep'), { recursive: true });
    expect(await first.list('')).toEqual([]);
    await first.put('role/deep/x', bytes('1'));
    await first.delete('role/deep/x');
    expect(readdirSync(join(directory, 'values'))).toEqual([]);
  });

  it('takes values of any size', async () => {
    const storage = await openStorage(freshDirectory());
    const large = new Uint8Array(3_000_000).map((_, index) => index % 251);
    await storage.put('config', large);
    expect(Buffer.from((await storage.get('config')) ?? []).equals(large)).toBe(true);
  });

  it('keeps the order of the puts of one key', async () => {
    const storage = await openStorage(freshDirectory());
    const puts = Array.from({ length: 30 }, (_, index) => storage.put('config', bytes(`${index}`)));
    await Promise.all([...puts, storage.delete('config'), storage.put('config', bytes('last'))]);
    expect(text(await storage.get('config'))).toBe('last');
  });

  it('finishes what is under way when it closes, and rejects what comes later', async () => {
    const directory = freshDirectory();
    const first = await openStorage(directory);
    const writes = Array.from({ length: 20 }, (_, index) => first.put(`role/${index}`, bytes('1')));
    const closing = first.close();
    await expect(first.put('late', bytes('1'))).rejects.toMatchObject({ code: 'storage_failed' });
    await expect(first.get('role/1')).rejects.toMatchObject({ code: 'storage_failed' });
    await expect(first.list('')).rejects.toMatchObject({ code: 'storage_failed' });
    await closing;
    await Promise.all(writes);
    await first.close();
    expect(await (await openStorage(directory)).list('role/')).toHaveLength(20);
  });
});

describe('opening refuses', () => {
  it('a key of another length', async () => {
    for (const length of [0, 16, 31, 33, 64])
      await expect(openStorage(freshDirectory(), undefined, new Uint8Array(length))).rejects.toMatchObject({
        code: 'storage_failed',
        message: `storage: the key has ${length} bytes, and takes 32`,
      });
  });

  it.each([0o770, 0o702, 0o777])('a directory of mode %o, that others can write to', async (mode) => {
    const directory = freshDirectory();
    mkdirSync(directory);
    chmodSync(directory, mode);
    await expect(openStorage(directory)).rejects.toMatchObject({
      code: 'storage_failed',
      message: expect.stringContaining(`${directory} has mode 0${mode.toString(8)}`),
    });
  });

  it('a directory of other things, and leaves it as it was', async () => {
    const directory = freshDirectory();
    mkdirSync(directory);
    writeFileSync(join(directory, 'thesis.txt'), '');
    await expect(openStorage(directory)).rejects.toMatchObject({
      code: 'storage_failed',
      message: `storage: ${directory} is not a storage, and not empty: it has "thesis.txt"`,
    });
    expect(readdirSync(directory)).toEqual(['thesis.txt']);
  });

  it('a file in place of the directory', async () => {
    const directory = freshDirectory();
    writeFileSync(directory, '');
    await expect(openStorage(directory)).rejects.toMatchObject({
      code: 'storage_failed',
      message: expect.stringContaining(directory),
    });
    await expect(openStorage(join(directory, 'below'))).rejects.toMatchObject({ code: 'storage_failed' });
  });

  it('and can be tried again afterwards', async () => {
    const directory = freshDirectory();
    await (await openStorage(directory)).close();
    const wrong = FileStorage.open({ directory, key: new Uint8Array(32) });
    await expect(wrong).rejects.toMatchObject({ code: 'storage_failed' });
    const storage = await FileStorage.open({ directory, key: KEY });
    await storage.close();
  });
});

function everyPath(directory: string): string[] {
  const below = readdirSync(directory, { recursive: true, encoding: 'utf8' });
  return [directory, ...below.map((name) => join(directory, name))];
}
