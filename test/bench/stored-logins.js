import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createBackend } from '../../dist/index.js';
import { FileStorage, MemoryStorage } from '../../dist/storage/index.js';
import { startChild } from './http.js';
import { compare, rate, report } from './measure.js';
import { configOf, RESOURCE, roleOf, SILENT, startWorld } from './world.js';

const IN_FLIGHT = 50;
const TOKENS = 4_000;
const BATCH = 1_000;
const ROUNDS = 21;
const HTTP_ROUNDS = 9;

/** A storage that counts its reads. */
function counting(storage) {
  const counts = { gets: 0 };
  const get = (key) => {
    counts.gets += 1;
    return storage.get(key);
  };
  return {
    counts,
    storage: {
      get,
      put: storage.put.bind(storage),
      delete: storage.delete.bind(storage),
      list: storage.list.bind(storage),
    },
  };
}

/** A backend without a host, over a storage, with a role that the token alone decides. */
async function startBackend(cloud, machine, storage) {
  const system = {
    defaultLeaseTtl: () => Promise.resolve(3_600),
    maxLeaseTtl: () => Promise.resolve(3_600),
    isActive: () => Promise.resolve(true),
    mountPath: 'cloud',
    mountAccessor: 'auth_cloud_1',
    namespace: '',
    product: '',
    sendsInvalidations: true,
    callsPeriodic: true,
  };
  const clock = { now: Date.now, sleep: () => new Promise(() => {}) };
  const services = { storage, system, logger: SILENT, clock };
  const backend = createBackend(services, { environments: [cloud.environment], env: {} });
  await backend.initialize();
  const write = (path, data) => backend.handleRequest({ id: 'bench', operation: 'update', path, data });
  await write('config', configOf(cloud));
  await write('role/web', roleOf(machine));
  return { login: (jwt) => write('login', { role: 'web', jwt }), close: () => backend.cleanup() };
}

/** A measurement that takes the next batch of tokens at each turn. */
function turns(tokens, work) {
  let next = 0;
  return () => {
    const batch = tokens.slice(next, next + BATCH);
    next = (next + BATCH) % tokens.length;
    return work(batch);
  };
}

/** The method alone: whoever mints the tokens is not asked. */
async function compareBackends({ cloud, machine, tokens }, directory) {
  const disk = await FileStorage.open({ directory, key: new Uint8Array(32).fill(7) });
  const { storage, counts } = counting(disk);
  const onDisk = await startBackend(cloud, machine, storage);
  const inMemory = await startBackend(cloud, machine, new MemoryStorage());
  const logins = ({ login }) => turns(tokens, (batch) => rate(batch, IN_FLIGHT, login));
  await logins(onDisk)();
  counts.gets = 0;
  report(
    'login handler: file storage : memory storage',
    await compare(ROUNDS, logins(onDisk), logins(inMemory)),
    'equal',
  );
  process.stdout.write(`  reads of the storage in ${(ROUNDS + 1) * BATCH} logins: ${counts.gets}; goal 0\n`);
  await Promise.all([onDisk.close(), inMemory.close()]);
  await disk.close();
}

/** The whole server, which makes a token per login: a service token is a file of its own, a batch token is none. */
async function compareHosts({ cloud, machine, tokens }, directory, tokenType) {
  const { environment, tenantId } = cloud;
  const { principalId } = machine.systemAssigned;
  const facts = { environment, tenantId, resource: RESOURCE, principalId, tokenType };
  const onDisk = await startChild('host', { ...facts, directory });
  const inMemory = await startChild('host', facts);
  const logins = ({ measure }) => turns(tokens, (batch) => measure(batch, '/v1/auth/cloud/login'));
  const result = await compare(HTTP_ROUNDS, logins(onDisk), logins(inMemory));
  report(
    `login over the HTTP host, ${tokenType} tokens: file storage : --dev`,
    result,
    tokenType === 'batch' ? 'equal' : 'none',
  );
  await Promise.all([onDisk.stop(), inMemory.stop()]);
}

/** What a storage on disk costs logins. */
export async function benchStoredLogins() {
  const world = await startWorld(TOKENS);
  const directory = mkdtempSync(join(tmpdir(), 'bench-logins-'));
  try {
    await compareBackends(world, join(directory, 'backend'));
    await compareHosts(world, join(directory, 'batch'), 'batch');
    await compareHosts(world, join(directory, 'service'), 'service');
  } finally {
    rmSync(directory, { recursive: true });
    await world.cloud.close();
  }
}
