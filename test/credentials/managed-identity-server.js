// A secrets server in a process of its own: where managed identities come from is found out once a process.
import { once } from 'node:events';
import { createHttpHost, jsonLogger } from '../../dist/hosts/http/index.js';
import { createBackend } from '../../dist/index.js';

const [{ environment, rootToken }] = await once(process, 'message');
const env = { AZURE_SDK_GO_LOGGING: 'all' };
const options = { environments: [environment], env, lookupTtl: 0, providerTimeout: 5 };
const host = await createHttpHost({
  factories: { cloud: (services) => createBackend(services, options) },
  mounts: ['cloud', 'other'].map((path) => ({ path, type: 'cloud' })),
  rootToken,
  logger: jsonLogger(process.stderr, 'trace'),
});
process.send(await host.listen());
