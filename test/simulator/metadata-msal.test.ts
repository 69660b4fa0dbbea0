import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { decodeJwt } from 'jose';
import { startSimulator } from '../../src/simulator/index.js';
import type { Actor, MetadataService, Simulator, UserAssignedIdentity } from '../../src/simulator/index.js';

const RESOURCE = 'https://vault.example.com';
const ROOT = join(import.meta.dirname, '../..');

// msal-node settles on one metadata service a process. Its directory for the keys of Arc machines is fixed, too, and needs root:
// the child puts ours in its place.
const SCRIPT = `
  const { ManagedIdentityApplication } = await import('@azure/msal-node');
  const { userAssigned, keyDirectory } = JSON.parse(process.argv[1]);
  if (keyDirectory) {
    const sources = new URL('./client/ManagedIdentitySources/', import.meta.resolve('@azure/msal-node'));
    const { SUPPORTED_AZURE_ARC_PLATFORMS } = await import(new URL('AzureArc.mjs', sources));
    SUPPORTED_AZURE_ARC_PLATFORMS[process.platform] = keyDirectory + '/';
  }
  const options = userAssigned ? { managedIdentityIdParams: userAssigned } : {};
  const application = new ManagedIdentityApplication(options);
  const answer = await application
    .acquireToken({ resource: '${RESOURCE}' })
    .then(({ accessToken }) => ({ accessToken }), ({ errorCode }) => ({ errorCode }));
  console.log(JSON.stringify({ source: application.getManagedIdentitySource(), ...answer }));
`;

interface Outcome {
  readonly source: string;
  readonly accessToken?: string;
  readonly errorCode?: string;
}

let simulator: Simulator;
let identity: UserAssignedIdentity;

beforeAll(async () => {
  simulator = await startSimulator();
  identity = simulator.addUserAssignedIdentity({ name: 'shared' });
});

afterAll(() => simulator.close());

/** What msal-node makes of a metadata service, in a process that sees its environment. */
async function acquire(
  { env, keyDirectory }: Omit<MetadataService, 'url' | 'close'>,
  userAssigned?: object,
): Promise<Outcome> {
  const options = JSON.stringify({ keyDirectory, userAssigned });
  const parameters = ['--input-type=module', '--eval', SCRIPT, options];
  const { stdout } = await promisify(execFile)(process.execPath, parameters, { cwd: ROOT, env: { ...env } });
  return JSON.parse(stdout) as Outcome;
}

function principalOf({ accessToken }: Outcome): unknown {
  return accessToken && decodeJwt(accessToken)['oid'];
}

describe.each<[string, string, () => Actor]>([
  [
    'a virtual machine',
    'DefaultToImds',
    () => simulator.addVirtualMachine({ name: 'web', systemAssigned: true, userAssigned: [identity] }),
  ],
  ['a container group', 'DefaultToImds', () => resource('Microsoft.ContainerInstance/containerGroups')],
  ['a web app', 'AppService', () => resource('Microsoft.Web/sites')],
  ['a container app', 'AppService', () => resource('Microsoft.App/containerApps')],
  ['an Arc machine', 'AzureArc', () => resource('Microsoft.HybridCompute/machines')],
])('the official client on %s', (_kind, source, create) => {
  test('gets a token of its own identity', async () => {
    const actor = create();
    const service = await simulator.metadataService(actor);
    const outcome = await acquire(service);
    expect(outcome.source).toBe(source);
    expect(principalOf(outcome)).toBe(actor.systemAssigned!.principalId);
  });

  test.each([
    ['client id', () => ({ userAssignedClientId: identity.clientId })],
    ['object id', () => ({ userAssignedObjectId: identity.principalId })],
    ['resource id', () => ({ userAssignedResourceId: identity.id })],
  ])('gets a token of an identity named by its %s', async (_name, userAssigned) => {
    const service = await simulator.metadataService(create());
    const outcome = await acquire(service, userAssigned());
    expect(principalOf(outcome)).toBe(identity.principalId);
  });
});

test('the official client refuses the keys of an Arc machine that are in another directory than it expects', async () => {
  const { env } = await simulator.metadataService(resource('Microsoft.HybridCompute/machines'));
  expect(await acquire({ env })).toEqual({ source: 'AzureArc', errorCode: 'invalid_file_path' });
});

test('the official client is refused by an app without the secret of its environment', async () => {
  const { env } = await simulator.metadataService(resource('Microsoft.Web/sites'));
  const outcome = await acquire({ env: { ...env, IDENTITY_HEADER: 'canary-guess' } });
  expect(outcome.accessToken).toBeUndefined();
  expect(simulator.calls({ service: 'metadata' }).at(-1)?.status).toBe(401);
});

function resource(type: string): Actor {
  return simulator.addResource({ type, name: 'factory', systemAssigned: true, userAssigned: [identity] });
}
