import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { folderPath, segmentOf, valuePath } from '../../../src/storage/file/file-names.js';
import { bytes, freshDirectory, openStorage, text } from './support.js';

const anySegment = fc
  .oneof(
    fc.string({ unit: 'binary', minLength: 1, maxLength: 300 }),
    fc.string({ minLength: 1 }),
    // Any code units, lone surrogates among them.
    fc.array(fc.integer({ min: 0, max: 0xffff }), { minLength: 1 }).map((units) => String.fromCharCode(...units)),
    fc.constantFrom(
      'con',
      'NUL',
      'v',
      'd',
      'c',
      'va',
      '...',
      '%',
      '%u',
      '%41',
      'é',
      'e\u0301',
      'K',
      'k',
      'ſ',
      '\ud800',
    ),
  )
  .map((segment) => segment.replaceAll('/', '|'))
  .filter((segment) => segment !== '.' && segment !== '..');
const anyKey = fc.array(anySegment, { minLength: 1, maxLength: 4 }).map((segments) => segments.join('/'));

describe('names of files', () => {
  it('are of a few characters that every file system keeps apart, and short', () => {
    fc.assert(
      fc.property(anyKey, (key) => {
        for (const name of valuePath(key).split('/')) expect(name).toMatch(/^[vdc][a-z0-9_%-]{1,200}$/);
      }),
    );
  });

  it('differ where keys differ', () => {
    fc.assert(
      fc.property(anyKey, anyKey, (one, other) => {
        expect(valuePath(one) === valuePath(other)).toBe(one === other);
        expect(folderPath(`${one}/`) === folderPath(`${other}/`)).toBe(one === other);
        expect(folderPath(`${one}/`)).not.toBe(valuePath(other));
      }),
    );
  });

  it('give the segment back', () => {
    fc.assert(
      fc.property(anySegment, (segment) => {
        expect(segmentOf(valuePath(segment))).toBe(segment);
        expect(segmentOf(folderPath(`${segment}/`))).toBe(segment);
      }),
    );
  });

  it.each([
    ['an upper-case letter', 'vDev'],
    ['an escape that is not needed', 'v%61'],
    ['an upper-case escape', 'v%4A'],
    ['half an escape', 'v%4'],
    ['a backup copy', 'vdev~'],
    ['nothing after the letter', 'v'],
    ['a continuation that is not full', 'cab/vc'],
    ['another letter', 'xdev'],
  ])('are not ours with %s', (_, name) => {
    expect(segmentOf(name)).toBeUndefined();
  });
});

describe('a storage on disk', () => {
  it('keeps and lists values of any names', async () => {
    const storage = await openStorage(freshDirectory());
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(anyKey, { minLength: 1, maxLength: 6 }), async (keys) => {
        for (const key of keys) await storage.put(key, bytes(valuePath(key)));
        for (const key of keys) expect(text(await storage.get(key))).toBe(valuePath(key));
        expect(await listAll(storage, '')).toEqual([...keys].sort());
        for (const key of keys) await storage.delete(key);
        expect(await storage.list('')).toEqual([]);
      }),
      { numRuns: 40 },
    );
  }, 60_000);

  it('cannot write a key that is too long for the disk, and finds nothing there', async () => {
    const storage = await openStorage(freshDirectory());
    const key = `role/${'x'.repeat(5000)}`;
    await expect(storage.put(key, bytes('1'))).rejects.toMatchObject({
      code: 'storage_failed',
      message: expect.stringContaining('ENAMETOOLONG'),
    });
    expect(await storage.get(key)).toBeUndefined();
    expect(await storage.list(`${key}/`)).toEqual([]);
    await storage.delete(key);
    expect(await storage.list('')).toEqual([]);
  });

  it('leaves no file outside its directory, whatever the key', async () => {
    const directory = freshDirectory();
    const storage = await openStorage(directory);
    for (const key of ['..\\..\\x', '%2e%2e%2fx', '~/x', 'C:\\x', '\0', '-rf']) await storage.put(key, bytes('1'));
    for (const key of ['../x', '/x', 'a/../../x', '.', '']) {
      await expect(storage.put(key, bytes('1'))).rejects.toMatchObject({ code: 'internal' });
      await expect(storage.get(key)).rejects.toMatchObject({ code: 'internal' });
      await expect(storage.delete(key)).rejects.toMatchObject({ code: 'internal' });
    }
    await expect(storage.list('../')).rejects.toMatchObject({ code: 'internal' });
    expect(readdirSync(join(directory, '..'))).toEqual(['data']);
    expect(readdirSync(directory).sort()).toEqual(['drafts', 'lock', 'marker', 'values']);
  });
});

async function listAll(storage: { list(prefix: string): Promise<string[]> }, prefix: string): Promise<string[]> {
  const found: string[] = [];
  for (const name of await storage.list(prefix)) {
    if (name.endsWith('/')) found.push(...(await listAll(storage, prefix + name)));
    else found.push(prefix + name);
  }
  return found.sort();
}
