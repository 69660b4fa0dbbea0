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
const IDENTITY_READ = 'Microsoft.ManagedIdentity/userAssignedIdentities/*/read';
const PERMISSIONS = [
  { feature: 'login with vm_name', entity: 'virtual machine', actions: ['Microsoft.Compute/virtualMachines/*/read'] },
  {
    feature: 'login with vmss_name',
    entity: 'scale set',
    actions: ['Microsoft.Compute/virtualMachineScaleSets/*/read'],
  },
  {
    feature: 'login with resource_id',
    entity: 'any resource with a managed identity',
    actions: ['read on the resource', 'Microsoft.Resources/subscriptions/providers/read'],
  },
  {
    feature: 'any of these, where the cloud leaves out the principal ids of identities (flexible scale sets)',
    entity: 'user-assigned identity',
    actions: [IDENTITY_READ],
  },
  {
    feature: 'login of a workload that names no resource, with resource constraints',
    entity: 'user-assigned identities of the bound resource groups',
    actions: [IDENTITY_READ],
  },
  {
    feature: 'bound_group_ids, for principals in more groups than a token lists',
    entity: 'directory (Graph)',
    actions: ['GroupMember.Read.All'],
  },
  {
    feature: 'root rotation',
    entity: 'the application of client_id itself (Graph), of which it must be an owner',
    actions: ['Application.ReadWrite.OwnedBy'],
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
      { name: 'AZURE_SDK_GO_LOGGING', purpose: '"all" logs every exchange with the provider' },
      { name: 'AZURE_FEDERATED_TOKEN_FILE', purpose: "workload identity: file of the pod's signed token" },
      { name: 'AZURE_CLIENT_ID', purpose: 'workload identity: client id where the configuration has none' },
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
