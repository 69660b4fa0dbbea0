import { spawnSync } from 'node:child_process';
import { chownSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { FaultyDisk } from './faulty-disk.js';
import { bytes, freshDirectory, openStorage, text } from './support.js';

/** The steps of a write in a folder that is there. */
const WRITE = ['create', 'rename', 'syncDirectory'] as const;

describe('a write whose disk fails', () => {
  it.each(['ENOSPC', 'EROFS', 'EIO', 'EACCES', 'EDQUOT'])(
    'by %s rejects at each step and keeps the old value',
    async (code) => {
      const disk = new FaultyDisk();
      disk.code = code;
      const directory = freshDirectory();
      const storage = await openStorage(directory, disk);
      await storage.put('role/dev', bytes('old'));
      for (const [index, step] of WRITE.entries()) {
        disk.changes.length = 0;
        disk.failing = index + 1;
        await expect(storage.put('role/dev', bytes('new'))).rejects.toMatchObject({
          code: 'storage_failed',
          message: `storage: cannot write "role/dev" (file values/drole/vdev): ${code}`,
        });
        expect(disk.changes[index]).toBe(step);
        // After the rename only the sync is missing.
        expect(text(await storage.get('role/dev'))).toBe(step === 'syncDirectory' ? 'new' : 'old');
        expect(readdirSync(join(directory, 'drafts'))).toEqual([]);

        await storage.put('role/dev', bytes('old'));
        expect(text(await storage.get('role/dev'))).toBe('old');
      }
      await storage.close();
      expect(text(await (await openStorage(directory)).get('role/dev'))).toBe('old');
    },
  );

  it('in folders that it had to make leaves none, wherever it failed', async () => {
    const disk = new FaultyDisk();
    const directory = freshDirectory();
    const storage = await openStorage(directory, disk);
    // Two folders with a sync each, then the file, its name and the sync of that.
    const steps = 2 * 2 + WRITE.length;
    for (let step = 1; step <= steps; step += 1) {
      disk.failing = step;
      await expect(storage.put('a/b/c', bytes('1'))).rejects.toMatchObject({ code: 'storage_failed' });
      expect(text(await storage.get('a/b/c'))).toBe(step === steps ? '1' : undefined);
      await storage.delete('a/b/c');
      expect(await storage.list('')).toEqual([]);
      expect(readdirSync(join(directory, 'values'))).toEqual([]);
    }
    disk.changes.length = 0;
    await storage.put('a/b/c', bytes('1'));
    expect(disk.changes).toHaveLength(steps);
  });

  it('works again when the disk does, after everything has failed for a while', async () => {
    const disk = new FaultyDisk();
    const storage = await openStorage(freshDirectory(), disk);
    await storage.put('config', bytes('old'));
    disk.failing = Infinity;
    const keys = ['config', 'role/a', 'role/b', 'wal/1'];
    for (const outcome of await Promise.allSettled(keys.map((key) => storage.put(key, bytes('new')))))
      expect(outcome.status).toBe('rejected');
    await expect(storage.delete('config')).rejects.toMatchObject({ code: 'storage_failed' });
    expect(text(await storage.get('config'))).toBe('old');
    expect(await storage.list('')).toEqual(['config']);

    disk.failing = 0;
    await Promise.all(keys.map((key) => storage.put(key, bytes('new'))));
    for (const key of keys) expect(text(await storage.get(key))).toBe('new');
  });

  it('rejects alone when others of its folder are written at the same time', async () => {
    const disk = new FaultyDisk();
    const storage = await openStorage(freshDirectory(), disk);
    await storage.put('role/0', bytes('0'));
    disk.failing = 1;
    const keys = Array.from({ length: 10 }, (_, index) => `role/${index}`);
    const outcomes = await Promise.allSettled(keys.map((key) => storage.put(key, bytes('new'))));
    expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(1);
    for (const [index, key] of keys.entries())
      expect((await storage.get(key).then(text)) === 'new').toBe(outcomes[index]!.status === 'fulfilled');
  });

  it('recovers when an operator has removed a folder by hand', async () => {
    const directory = freshDirectory();
    const storage = await openStorage(directory);
    await storage.put('role/dev', bytes('1'));
    rmSync(join(directory, 'values/drole'), { recursive: true });
    await storage.put('role/dev', bytes('2')).catch(() => undefined);
    await storage.put('role/dev', bytes('3'));
    expect(text(await storage.get('role/dev'))).toBe('3');
  });
});

describe('a deletion whose disk fails', () => {
  it('rejects, and lasts once it is repeated', async () => {
    const disk = new FaultyDisk();
    const storage = await openStorage(freshDirectory(), disk);
    await storage.put('role/dev', bytes('1'));
    await storage.put('role/ops', bytes('1'));
    disk.failing = 1;
    await expect(storage.delete('role/dev')).rejects.toMatchObject({
      code: 'storage_failed',
      message: 'storage: cannot delete "role/dev" (file values/drole/vdev): EIO',
    });
    expect(text(await storage.get('role/dev'))).toBe('1');
    disk.failing = 2;
    await expect(storage.delete('role/dev')).rejects.toMatchObject({ code: 'storage_failed' });

    disk.changes.length = 0;
    await storage.delete('role/dev');
    // The file is gone already; that this lasts is what the second call is for.
    expect(disk.changes).toContain('syncDirectory');
    expect(await storage.list('role/')).toEqual(['ops']);
  });
});

describe('opening on a disk that fails', () => {
  it('rejects at each step, and works on the next try', async () => {
    const directory = freshDirectory();
    mkdirSync(directory, { mode: 0o700 });
    let step = 0;
    let opened = false;
    while (!opened) {
      step += 1;
      const disk = new FaultyDisk();
      disk.failing = step;
      opened = await openStorage(directory, disk).then(
        () => true,
        (error: unknown) => {
          expect(error).toMatchObject({ code: 'storage_failed', message: `storage: cannot open ${directory}: EIO` });
          return false;
        },
      );
    }
    expect(step).toBeGreaterThan(4);
  });
});

describe('a real disk', () => {
  const limits = join(import.meta.dirname, 'processes/limits.js');
  const run = (shell: string, mode: string, directory: string): unknown => {
    const parameters = ['-c', `${shell}; exec "$0" "$@"`, process.execPath, limits, mode, directory];
    const { stdout, stderr } = spawnSync('sh', parameters, { encoding: 'utf8' });
    expect(stderr).toBe('');
    return JSON.parse(stdout);
  };

  it('that takes no more bytes makes the write reject, and the old value reads', async () => {
    const directory = freshDirectory();
    expect(run('ulimit -f 16', 'large', directory)).toEqual({ failure: 'EFBIG', value: 'old', next: 'next' });
    expect(text(await (await openStorage(directory)).get('role/dev'))).toBe('next');
  });

  it('that is read-only to the process makes the write reject, and the old value reads', () => {
    const directory = freshDirectory();
    mkdirSync(directory, { mode: 0o700 });
    if (process.getuid?.() === 0) {
      chownSync(join(directory, '..'), 65534, 65534);
      chownSync(directory, 65534, 65534);
    }
    expect(run(':', 'readonly', directory)).toEqual({ failure: 'EACCES', value: 'old', next: 'next' });
  });
});
