import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach } from '@jest/globals';
import { FileStorage } from '../../../src/storage/index.js';
import type { Disk } from '../../../src/storage/index.js';

export const KEY = new Uint8Array(32).fill(7);

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** Runs after the test, last one first. */
export function afterThisTest(cleanup: () => unknown): void {
  cleanups.push(cleanup);
}

/** A directory of its own for this test, with nothing at the path that is given. */
export function freshDirectory(): string {
  const parent = mkdtempSync(join(tmpdir(), 'file-storage-'));
  afterThisTest(() => rmSync(parent, { recursive: true }));
  return join(parent, 'data');
}

/** Opens a storage that is closed after the test, if not before. */
export async function openStorage(directory: string, disk?: Disk, key = KEY): Promise<FileStorage> {
  const storage = await FileStorage.open({ directory, key, ...(disk && { disk }) });
  afterThisTest(() => storage.close());
  return storage;
}

export const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
export const text = (value: Uint8Array | undefined): string | undefined => value && new TextDecoder().decode(value);
