import { chmodSync, chownSync, mkdirSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { readStorageKey } from '../../../src/storage/index.js';
import { freshDirectory } from './support.js';

const KEY = Uint8Array.from({ length: 32 }, (_, index) => index * 7);
const HEX = Buffer.from(KEY).toString('hex');
const BASE64 = Buffer.from(KEY).toString('base64');

function keyFile(content: string, mode = 0o600): string {
  const file = freshDirectory();
  writeFileSync(file, content);
  chmodSync(file, mode);
  return file;
}

describe('the key of a storage', () => {
  it.each([
    ['hexadecimal', HEX],
    ['upper-case hexadecimal', HEX.toUpperCase()],
    ['base64', BASE64],
    ['base64 without padding', BASE64.replace('=', '')],
    ['base64 with white space around', ` \n${BASE64}\r\n`],
  ])('is read as %s from a file or a variable', async (_, content) => {
    expect(await readStorageKey({ file: keyFile(content) })).toEqual(KEY);
    expect(await readStorageKey({ env: 'STORAGE_KEY' }, { STORAGE_KEY: content })).toEqual(KEY);
  });

  it.each([
    ['nothing', ' '],
    ['too few digits', HEX.slice(2)],
    ['too many digits', `${HEX}00`],
    ['too short base64', Buffer.alloc(31, 'canary').toString('base64')],
    ['too long base64', Buffer.alloc(33, 'canary').toString('base64')],
    ['base64url', '-_'.repeat(22)],
    ['two keys', `${HEX}\n${HEX}`],
    ['a passphrase', 'canary-correct-horse-battery-staple'],
  ])('is refused as %s, without a word of it', async (_, content) => {
    const file = keyFile(content);
    const takes = 'it takes 32 bytes as 64 hexadecimal digits or as base64';
    const fromFile = await readStorageKey({ file }).catch((error: unknown) => error);
    expect(fromFile).toMatchObject({
      code: 'not_configured',
      message: `storage key: the file ${file} cannot be used: ${takes}`,
    });
    const fromVariable = await readStorageKey({ env: 'STORAGE_KEY' }, { STORAGE_KEY: content }).catch(
      (e: unknown) => e,
    );
    expect(fromVariable).toMatchObject({
      code: 'not_configured',
      message: `storage key: the environment variable STORAGE_KEY cannot be used: ${takes}`,
    });
  });

  it.each([undefined, ''])('is refused when the variable is %p', async (value) => {
    await expect(readStorageKey({ env: 'STORAGE_KEY' }, { STORAGE_KEY: value })).rejects.toMatchObject({
      code: 'not_configured',
      message: 'storage key: the environment variable STORAGE_KEY cannot be used: it is not set',
    });
  });

  it.each([0o400, 0o600, 0o700])('is read from a file of mode %o', async (mode) => {
    expect(await readStorageKey({ file: keyFile(HEX, mode) })).toEqual(KEY);
  });

  it.each([0o640, 0o604, 0o644, 0o601, 0o666])('is refused from a file of mode %o', async (mode) => {
    const file = keyFile(HEX, mode);
    await expect(readStorageKey({ file })).rejects.toMatchObject({
      code: 'not_configured',
      message: `storage key: the file ${file} cannot be used: its mode is 0${mode.toString(8)}, and must be 0600 or stricter`,
    });
  });

  it('is refused from the file of another user', async () => {
    // Only root can make such a file, and only root could read it.
    if (process.getuid?.() !== 0) return;
    const file = keyFile(HEX);
    chownSync(file, 65534, 65534);
    await expect(readStorageKey({ file })).rejects.toMatchObject({
      code: 'not_configured',
      message: expect.stringContaining('it belongs to user 65534'),
    });
  });

  it('is refused from a directory, a missing file and a large one', async () => {
    const directory = freshDirectory();
    const unusable = (why: string): object => ({
      code: 'not_configured',
      message: `storage key: the file ${directory} cannot be used: ${why}`,
    });
    await expect(readStorageKey({ file: directory })).rejects.toMatchObject(unusable('it cannot be read'));
    mkdirSync(directory, { mode: 0o700 });
    await expect(readStorageKey({ file: directory })).rejects.toMatchObject(unusable('it is not a file'));
    const large = keyFile(HEX + ' '.repeat(2000));
    await expect(readStorageKey({ file: large })).rejects.toMatchObject({ code: 'not_configured' });
  });
});
