// A secrets server over a directory, to be killed: one node, or several over one storage. Does as its parent says.
import { once } from 'node:events';
import { createApplicationPasswords } from '../../../dist/cloud/index.js';
import { createHttpHost, jsonLogger, systemClock } from '../../../dist/hosts/http/index.js';
import { createBackend } from '../../../dist/index.js';
import { createRotationManager } from '../../../dist/rotation/index.js';
import { FileStorage } from '../../../dist/storage/index.js';
import { createTransport } from '../../../dist/transport/index.js';
import { Mishaps } from './mishaps.js';

const [{ directory, environment, rootToken, timing, nodes }] = await once(process, 'message');
const files = await FileStorage.open({ directory, key: new Uint8Array(32).fill(7) });
const logger = jsonLogger(process.stderr, 'debug');
const mishaps = new Mishaps();
const backends = [];
const active = Array(nodes).fill(true);
let offset = 0;
const clock = { now: () => Date.now() + offset, sleep: systemClock.sleep };

function factoryOf(node) {
  return (services) => {
    // A host tells its other nodes what one of them has written.
    const invalidate = (key) => backends.forEach((backend, other) => other !== node && backend.invalidate(key));
    const storage = mishaps.watch(services.storage, invalidate);
    const system = { ...services.system, callsPeriodic: false, isActive: async () => active[node] };
    const passwords = createApplicationPasswords({ transport: createTransport({ userAgent: 'kills' }), clock, logger });
    const rotationManager = (root) =>
      createRotationManager({ storage, system, clock, logger, root, passwords, timing });
    const options = { environments: [environment], lookupTtl: 0, providerTimeout: 5, modules: { rotationManager } };
    backends[node] = createBackend({ ...services, storage, system }, options);
    return backends[node];
  };
}

const urls = [];
for (let node = 0; node < nodes; node += 1) {
  const mounts = [{ path: 'cloud', type: 'cloud' }];
  const factories = { cloud: factoryOf(node) };
  const host = await createHttpHost({ factories, mounts, storage: files, clock, logger, rootToken });
  urls.push((await host.listen()).url);
}

process.on('message', (command) => {
  if ('plan' in command) mishaps.set(command.plan);
  if ('active' in command) active.splice(0, nodes, ...command.active);
  if ('offset' in command) offset = command.offset;
  process.send({ writes: mishaps.writes });
});
process.on('disconnect', () => process.exit());
process.send({ urls });
