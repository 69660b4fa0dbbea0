import { copyFileSync, readFileSync, renameSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { FileStorage } from '../../../src/storage/index.js';
import { bytes, freshDirectory, KEY, openStorage, text } from './support.js';

const SECRET = 'canary-value-of-dev';

describe('a damaged file', () => {
  async function storageWithRole(): Promise<{ storage: FileStorage; directory: string; file: string }> {
    const directory = freshDirectory();
    const storage = await openStorage(directory);
    await storage.put('role/dev', bytes(SECRET));
    await storage.put('role/ops', bytes('other'));
    return { storage, directory, file: join(directory, 'values/drole/vdev') };
  }

  async function expectRefused(storage: FileStorage): Promise<void> {
    const error = await storage.get('role/dev').then(text, (reason: unknown) => reason);
    expect(error).toMatchObject({
      code: 'storage_failed',
      message: 'storage: "role/dev" (file values/drole/vdev) is damaged, or was written as another',
    });
    expect(text(await storage.get('role/ops'))).toBe('other');
    expect(await storage.list('role/')).toEqual(['dev', 'ops']);
    await storage.put('role/dev', bytes('written anew'));
    expect(text(await storage.get('role/dev'))).toBe('written anew');
  }

  it('is refused for any one flipped bit', async () => {
    const { storage, file } = await storageWithRole();
    const whole = readFileSync(file);
    for (let bit = 0; bit < whole.length * 8; bit += 1) {
      const flipped = Buffer.from(whole);
      flipped[bit >> 3]! ^= 1 << (bit & 7);
      writeFileSync(file, flipped);
      await expect(storage.get('role/dev')).rejects.toMatchObject({ code: 'storage_failed' });
    }
    await expectRefused(storage);
  });

  it('is refused at any shorter length, and when longer', async () => {
    const { storage, file } = await storageWithRole();
    writeFileSync(file, Buffer.concat([readFileSync(file), Buffer.of(0)]));
    await expect(storage.get('role/dev')).rejects.toMatchObject({ code: 'storage_failed' });
    for (let length = readFileSync(file).length - 2; length >= 0; length -= 1) {
      truncateSync(file, length);
      await expect(storage.get('role/dev')).rejects.toMatchObject({ code: 'storage_failed' });
    }
    await expectRefused(storage);
  });

  it('is refused when it is the file of another key', async () => {
    const { storage, directory, file } = await storageWithRole();
    copyFileSync(join(directory, 'values/drole/vops'), file);
    await expectRefused(storage);
  });

  it('is refused under a new name, which is listed', async () => {
    const { storage, directory, file } = await storageWithRole();
    renameSync(file, join(directory, 'values/drole/vroot'));
    expect(await storage.list('role/')).toEqual(['ops', 'root']);
    await expect(storage.get('role/root')).rejects.toMatchObject({ code: 'storage_failed' });
    expect(await storage.get('role/dev')).toBeUndefined();
  });

  it('is refused when it comes from another directory with the same key', async () => {
    const { storage, file } = await storageWithRole();
    const other = await storageWithRole();
    copyFileSync(other.file, file);
    await expectRefused(storage);
  });

  it('is refused when it is a symbolic link, even to itself moved away', async () => {
    const { storage, directory, file } = await storageWithRole();
    renameSync(file, join(directory, '../moved'));
    symlinkSync(join(directory, '../moved'), file);
    await expect(storage.get('role/dev')).rejects.toMatchObject({
      code: 'storage_failed',
      message: expect.stringMatching(/^storage: cannot read "role\/dev" \(file values\/drole\/vdev\): ELOOP/),
    });
    await storage.put('role/dev', bytes('written anew'));
    expect(text(await storage.get('role/dev'))).toBe('written anew');
    expect(readFileSync(join(directory, '../moved')).length).toBeGreaterThan(0);
  });

  it('is refused when a directory has its place', async () => {
    const directory = freshDirectory();
    const storage = await openStorage(directory);
    await storage.put('vdev/x', bytes('1'));
    renameSync(join(directory, 'values/dvdev'), join(directory, 'values/vdev'));
    await expect(storage.get('dev')).rejects.toMatchObject({ code: 'storage_failed' });
    expect(await storage.list('')).toEqual([]);
  });
});

describe('opening', () => {
  async function closedStorage(): Promise<{ directory: string; marker: string }> {
    const directory = freshDirectory();
    const storage = await openStorage(directory);
    await storage.put('config', bytes('1'));
    await storage.close();
    return { directory, marker: join(directory, 'marker') };
  }

  const unopened = (marker: string): object => ({
    code: 'storage_failed',
    message: `storage: ${marker} does not open: the key is not the one this storage was made with, or the file is damaged`,
  });

  it('refuses another key', async () => {
    const { directory, marker } = await closedStorage();
    for (let byte = 0; byte < KEY.length; byte += 1) {
      const wrong = Uint8Array.from(KEY, (value, index) => (index === byte ? value ^ 1 : value));
      await expect(openStorage(directory, undefined, wrong)).rejects.toMatchObject(unopened(marker));
    }
    expect(text(await (await openStorage(directory)).get('config'))).toBe('1');
  });

  it('refuses a marker with any byte changed, cut short or empty', async () => {
    const { directory, marker } = await closedStorage();
    const whole = readFileSync(marker);
    const damaged = [
      Buffer.alloc(0),
      whole.subarray(0, 31),
      whole.subarray(0, -1),
      Buffer.concat([whole, Buffer.of(0)]),
    ];
    for (let byte = 0; byte < whole.length; byte += 1)
      damaged.push(Buffer.from(whole.map((value, index) => (index === byte ? value ^ 0x80 : value))));
    for (const content of damaged) {
      writeFileSync(marker, content);
      await expect(openStorage(directory)).rejects.toMatchObject(unopened(marker));
    }
    writeFileSync(marker, whole);
    expect(text(await (await openStorage(directory)).get('config'))).toBe('1');
  });

  it('refuses a marker of another directory with the same key', async () => {
    const { directory, marker } = await closedStorage();
    const other = await closedStorage();
    copyFileSync(other.marker, marker);
    const storage = await openStorage(directory);
    await expect(storage.get('config')).rejects.toMatchObject({ code: 'storage_failed' });
  });

  it('refuses values without a marker, and makes none', async () => {
    const { directory, marker } = await closedStorage();
    rmSync(marker);
    for (let attempt = 0; attempt < 2; attempt += 1)
      await expect(openStorage(directory)).rejects.toMatchObject({
        code: 'storage_failed',
        message: `storage: ${marker} is missing, and without it nothing in ${directory} can be read`,
      });
  });

  it('refuses a marker that cannot be read, naming it', async () => {
    const { directory, marker } = await closedStorage();
    renameSync(marker, `${directory}-marker`);
    symlinkSync(`${directory}-marker`, marker);
    await expect(openStorage(directory)).rejects.toMatchObject({
      code: 'storage_failed',
      message: `storage: cannot open ${directory}: ELOOP at ${marker}`,
    });
  });
});
