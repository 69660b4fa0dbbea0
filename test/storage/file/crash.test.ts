import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { KEYS, valueOf } from './processes/storm-values.js';
import { freshDirectory, openStorage, text } from './support.js';

const STORM = join(import.meta.dirname, 'processes/storm.js');
const ROUNDS = 25;

/** Lets a process change everything until so many changes were promised, and kills it. Gives the last one of each key. */
async function stormUntil(directory: string, first: number, changes: number): Promise<Map<string, number>> {
  const child = spawn(process.execPath, [STORM, directory, String(first)], { stdio: ['ignore', 'pipe', 'inherit'] });
  let printed = '';
  child.stdout.on('data', (chunk: Buffer) => {
    printed += chunk.toString();
    if (printed.split('\n').length > changes) child.kill('SIGKILL');
  });
  const [, signal] = (await once(child, 'close')) as [number | null, string | null];
  expect(signal).toBe('SIGKILL');
  const promised = printed.matchAll(/^(.+) (\d+)\n/gm);
  return new Map([...promised].map(([, key, number]) => [key!, Number(number)]));
}

it(`every key has what was promised last, or the change under way, whole, after each of ${ROUNDS} kills`, async () => {
  const directory = freshDirectory();
  let settled = new Map<string, string | undefined>();
  let underWay = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const first = round * 100_000;
    const promised = await stormUntil(directory, first, 1 + Math.floor(Math.random() * 400));
    const storage = await openStorage(directory);
    const found = new Map<string, string | undefined>();
    for (const key of KEYS) {
      const last = promised.get(key);
      const before = last === undefined ? settled.get(key) : text(valueOf(key, last));
      const after = text(valueOf(key, last === undefined ? first : last + 1));
      const now = text(await storage.get(key));
      if (now !== before && now === after) underWay += 1;
      else expect(now).toBe(before);
      found.set(key, now);
    }
    const top = [...found].flatMap(([key, value]) => (value === undefined ? [] : [key.replace(/\/.*/, '/')]));
    expect(await storage.list('')).toEqual([...new Set(top)].sort());
    expect(readdirSync(join(directory, 'drafts'))).toEqual([]);
    settled = found;
    await storage.close();
  }
  // Kills that hit nothing would show nothing.
  expect(underWay).toBeGreaterThan(0);
}, 120_000);
