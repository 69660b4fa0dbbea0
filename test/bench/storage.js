import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { open, rename } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { FileStorage, MemoryStorage } from '../../dist/storage/index.js';
import { compare, rate, report } from './measure.js';

const ROUNDS = 7;
const ROLES = 100_000;
const KEY = new Uint8Array(32).fill(7);
const VALUE = new TextEncoder().encode(JSON.stringify({ version: 1, bound_service_principal_ids: ['x'.repeat(400)] }));

/** What a write cannot do without: the file synced, renamed, its folder synced. */
async function bareWrite(directory, name) {
  const draft = join(directory, `${name}.draft`);
  const handle = await open(draft, 'w', 0o600);
  await handle.writeFile(VALUE);
  await handle.sync();
  await handle.close();
  await rename(draft, join(directory, name));
  const folder = await open(directory);
  await folder.sync();
  await folder.close();
}

async function benchPuts(directory) {
  const storage = await FileStorage.open({ directory: join(directory, 'data'), key: KEY });
  const memory = new MemoryStorage();
  for (const [inFlight, puts] of [
    [1, 200],
    [50, 2000],
  ]) {
    const names = Array.from({ length: puts }, (_, index) => `${index}`);
    const file = () => rate(names, inFlight, (name) => storage.put(`role/${name}`, VALUE));
    const bare = () => rate(names, inFlight, (name) => bareWrite(directory, name));
    const inMemory = () => rate(names, inFlight, (name) => memory.put(`role/${name}`, VALUE));
    report(
      `puts, ${inFlight} in flight: file storage : bare write, fsync, rename, fsync`,
      await compare(ROUNDS, file, bare),
      '> 0.8',
    );
    report(`puts, ${inFlight} in flight: file storage : memory storage`, await compare(ROUNDS, file, inMemory), 'none');
  }
  const names = Array.from({ length: 2000 }, (_, index) => `${index}`);
  const gets = await compare(
    ROUNDS,
    () => rate(names, 1, (name) => storage.get(`role/${name}`)),
    () => rate(names, 50, (name) => storage.get(`role/${name}`)),
  );
  report('gets: 1 in flight : 50 in flight', gets, 'none');
  await storage.close();
}

async function benchStart(directory) {
  const data = join(directory, 'many');
  const storage = await FileStorage.open({ directory: data, key: KEY });
  const names = Array.from({ length: ROLES }, (_, index) => `role/${index}`);
  const perSecond = await rate(names, 200, (name) => storage.put(name, VALUE));
  await storage.close();
  process.stdout.write(`${ROLES} roles written, ${perSecond.toFixed(0)} per second\n`);
  // A process of its own, so that its memory is of the start alone.
  const program = fileURLToPath(new URL('./storage-start.js', import.meta.url));
  spawnSync(process.execPath, [program, data], { stdio: 'inherit' });
}

/** Writes and reads on disk against memory and against the bare system calls; a start with many roles. */
export async function benchStorage() {
  const directory = mkdtempSync(join(tmpdir(), 'bench-storage-'));
  try {
    await benchPuts(directory);
    await benchStart(directory);
  } finally {
    rmSync(directory, { recursive: true });
  }
}
