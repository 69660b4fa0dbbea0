// The mount that memory.js fills: serves requests that come as messages, and tells how much memory the process takes.
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { createBackend } from '../../dist/index.js';
import { SILENT } from './world.js';

const [{ environment }] = await once(process, 'message');

const records = new Map();
// Any number of roles that are all alike, so that what they take here is what the mount keeps of them.
const storage = {
  get: (key) =>
    Promise.resolve(records.get(key) ?? (key.startsWith('role/role-') ? records.get('role/web') : undefined)),
  put: (key, bytes) => Promise.resolve(void records.set(key, bytes)),
  delete: (key) => Promise.resolve(void records.delete(key)),
  list: () => Promise.resolve([]),
};
const system = {
  defaultLeaseTtl: () => Promise.resolve(3_600),
  maxLeaseTtl: () => Promise.resolve(3_600),
  isActive: () => Promise.resolve(true),
  mountPath: 'cloud',
  mountAccessor: 'auth_cloud_1',
  namespace: '',
  product: '',
  sendsInvalidations: true,
};
const clock = { now: Date.now, sleep: (milliseconds, signal) => wait(milliseconds, undefined, { signal }) };
const options = { environments: [environment], env: {}, lookupTtl: 3_600 };
const backend = createBackend({ storage, system, logger: SILENT, clock }, options);
await backend.initialize();

async function serve(request) {
  try {
    await backend.handleRequest({ id: 'bench', ...request });
    return 'served';
  } catch (error) {
    return error.rule ?? error.code ?? 'failed';
  }
}

async function memory() {
  // What one collection finalizes, the next one frees.
  for (let turn = 0; turn < 3; turn += 1) {
    globalThis.gc();
    await wait(50);
  }
  const { heapUsed, external, rss } = process.memoryUsage();
  return { heap: heapUsed + external, rss };
}

process.on('message', async ({ id, request }) => {
  process.send({ id, answer: request === undefined ? await memory() : await serve(request) });
});
process.send('ready');
