import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createBackend } from '../../src/backend.js';
import { DIALECTS } from '../../src/paths/dialect.js';
import { MemoryStorage } from '../../src/storage/index.js';
import { VERSION } from '../../src/version.js';
import { fakeSystem } from '../support/fake-system.js';
import { ManualClock } from '../support/clock.js';
import { recordingLogger } from '../support/logger.js';

export const ROOT = join(import.meta.dirname, '../..');

/** Provider permissions, by the feature that needs them (spec 1.7 and 1.8). */
const PERMISSIONS = [
  {
    feature: 'login with vm_name',
    entity: 'virtual machine',
    actions: ['Microsoft.Compute/virtualMachines/*/read'],
  },
  {
    feature: 'login with vm_name, identities that come without a principal id',
    entity: 'user-assigned identity',
    actions: ['Microsoft.ManagedIdentity/userAssignedIdentities/*/read'],
  },
];

/** What `plugin.manifest.json` must say, by what the backend registers. */
export async function manifest(): Promise<Record<string, unknown>> {
  const services = {
    storage: new MemoryStorage(),
    system: fakeSystem(),
    logger: recordingLogger(),
    clock: new ManualClock(),
  };
  const backend = createBackend(services, { env: {} });
  const { paths } = backend.openapi();
  const { unauthenticated, sealWrapped } = backend.specialPaths;
  await backend.cleanup();
  const { exports, engines } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    exports: Record<string, { default: string } | string>;
    engines: { node: string };
  };
  return {
    name: 'cloud-identity-auth',
    type: 'auth',
    version: VERSION,
    engines,
    entryPoints: Object.fromEntries(
      Object.entries(exports).flatMap(([name, target]) =>
        typeof target === 'string' ? [] : [[name, target.default] as const],
      ),
    ),
    paths: Object.entries(paths).map(([path, item]) => ({
      path: path.slice(1),
      operations: operationsOf(item),
      unauthenticated: unauthenticated.includes(path.slice(1)),
      description: item['description'],
    })),
    sealWrapped,
    capabilities: {
      required: ['storage', 'defaultLeaseTtl', 'maxLeaseTtl', 'isActive'],
      optional: [
        'storage.listPage',
        'storage.transaction',
        'generateIdentityToken',
        'registerRotationJob',
        'deregisterRotationJob',
      ],
    },
    environmentVariables: [
      ...Object.values(DIALECTS).flatMap(({ name, variables }) =>
        (Object.entries(variables) as [string, string][]).map(([field, variable]) => ({
          name: variable,
          dialect: name,
          field,
        })),
      ),
      { name: 'CLOUD_ENVIRONMENTS_FILE', purpose: 'JSON file of further cloud environments' },
    ],
    permissions: PERMISSIONS,
  };
}

function operationsOf(item: Readonly<Record<string, unknown>>): string[] {
  const get = item['get'] as { parameters?: { name: string }[] } | undefined;
  const isList = get?.parameters?.some(({ name }) => name === 'list') === true;
  return [
    ...(item['post'] ? [item['x-vault-createSupported'] ? 'create' : [], 'update'].flat() : []),
    ...(get ? [isList ? 'list' : 'read'] : []),
    ...(item['delete'] ? ['delete'] : []),
  ];
}
