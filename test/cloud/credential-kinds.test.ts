import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { credentialSource } from '../../src/cloud/credential-kinds.js';
import type { CredentialSources } from '../../src/cloud/credential-kinds.js';
import { Failures } from '../../src/cloud/failures.js';
import { AuthMethodError } from '../../src/contract/index.js';
import type { CloudConfiguration, CredentialKind } from '../../src/contract/index.js';
import { recordingLogger } from '../support/logger.js';
import { CONFIGURATION, fakeCloud, sleeplessClock } from './fakes.js';
import type { FakeTransport } from './fakes.js';

const AUDIENCE = 'https://manager.example';
const HOST_TOKEN = 'canary-aG9zdA.aG9zdA.aG9zdA';
const POD_TOKEN = 'canary-cG9k.cG9k.cG9k';
const POD_CLIENT = '44444444-4444-4444-4444-444444444444';

const { clientId: CLIENT, clientSecret: SECRET, ...BARE } = CONFIGURATION;
const CREDENTIALS = { clientId: CLIENT!, clientSecret: SECRET! };
const FEDERATION = { clientId: CLIENT!, identityToken: { audience: 'api://exchange', ttl: 600 } };

let folder: string;
let podEnv: Record<string, string>;
const metadataRequests: URL[] = [];
const metadataService = createServer((request, response) => {
  metadataRequests.push(new URL(request.url!, 'http://metadata'));
  response.setHeader('server', 'cloud-simulator');
  const expiresOn = Math.floor(Date.now() / 1000) + 3_600;
  response.end(JSON.stringify({ access_token: 'canary-managed', expires_on: String(expiresOn), token_type: 'Bearer' }));
});

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kinds-'));
  const file = join(folder, 'token');
  await writeFile(file, POD_TOKEN);
  podEnv = { AZURE_FEDERATED_TOKEN_FILE: file, AZURE_CLIENT_ID: POD_CLIENT };
  await new Promise<void>((resolve) => metadataService.listen(0, '127.0.0.1', resolve));
  // The library finds out once for the process, which here is this file.
  const { port } = metadataService.address() as AddressInfo;
  process.env['AZURE_POD_IDENTITY_AUTHORITY_HOST'] = `http://127.0.0.1:${port}`;
});

beforeEach(() => {
  metadataRequests.length = 0;
});

afterAll(async () => {
  delete process.env['AZURE_POD_IDENTITY_AUTHORITY_HOST'];
  metadataService.closeAllConnections();
  await new Promise((resolve) => metadataService.close(resolve));
  await rm(folder, { recursive: true });
});

const signing: CredentialSources = { generateIdentityToken: () => Promise.resolve({ token: HOST_TOKEN, ttl: 600 }) };

function ask(
  changes: Partial<CloudConfiguration>,
  sources: CredentialSources,
  transport: FakeTransport = fakeCloud(() => new Error('not asked')),
): Promise<string> {
  const clock = sleeplessClock();
  const failures = new Failures(recordingLogger(), clock);
  const options = { ...sources, send: transport.send.bind(transport), failures, clock };
  const source = credentialSource({ ...BARE, ...changes }, AUDIENCE, options);
  return source(new AbortController().signal).then(({ value }) => value);
}

/** With what a token was asked for. */
async function used(changes: Partial<CloudConfiguration>, sources: CredentialSources): Promise<string> {
  const transport = fakeCloud(() => new Error('not asked'));
  await ask(changes, sources, transport);
  const form = new URLSearchParams((transport.requests[0]?.body as string | undefined) ?? '');
  expect(transport.requests.length + metadataRequests.length).toBe(1);
  if (metadataRequests.length > 0) return `managed identity ${metadataRequests[0]!.searchParams.get('client_id')}`;
  return `${form.get('client_id')} ${form.get('client_secret') ?? form.get('client_assertion')}`;
}

describe('the credential', () => {
  const everything = (): CredentialSources => ({ ...signing, env: podEnv });

  test.each<[string, Partial<CloudConfiguration>, () => CredentialSources, string]>([
    ['the client secret', { ...FEDERATION, ...CREDENTIALS }, everything, `${CLIENT} ${SECRET}`],
    ['an identity token of the host', FEDERATION, everything, `${CLIENT} ${HOST_TOKEN}`],
    ["the pod's token", { clientId: CLIENT! }, everything, `${CLIENT} ${POD_TOKEN}`],
    ["the pod's token for the pod's client", {}, everything, `${POD_CLIENT} ${POD_TOKEN}`],
    ['a managed identity', { clientId: CLIENT! }, () => signing, `managed identity ${CLIENT}`],
    ["the machine's own identity", {}, () => signing, 'managed identity null'],
  ])('is, in this order: %s', async (_, changes, sources, expected) => {
    expect(await used(changes, sources())).toBe(expected);
  });

  test.each<[CredentialKind, string]>([
    ['root_creds', `${CLIENT} ${SECRET}`],
    ['plugin_wif', `${CLIENT} ${HOST_TOKEN}`],
    ['aks_wi', `${CLIENT} ${POD_TOKEN}`],
    ['msi', `managed identity ${CLIENT}`],
  ])('is %s when that is pinned, whatever else there is', async (credentialKind, expected) => {
    expect(await used({ ...FEDERATION, ...CREDENTIALS, credentialKind }, everything())).toBe(expected);
  });

  test.each<[CredentialKind, string, Partial<CloudConfiguration>, CredentialSources]>([
    ['root_creds', 'client_id and client_secret', { clientId: CLIENT! }, signing],
    ['root_creds', 'client_id and client_secret', { clientSecret: SECRET! }, signing],
    ['plugin_wif', 'client_id and identity_token_audience', { clientId: CLIENT! }, signing],
    [
      'plugin_wif',
      'client_id and identity_token_audience',
      { identityToken: { audience: 'api://exchange', ttl: 600 } },
      signing,
    ],
    [
      'aks_wi',
      'the variable AZURE_FEDERATED_TOKEN_FILE, and client_id or the variable AZURE_CLIENT_ID',
      CREDENTIALS,
      { env: { AZURE_CLIENT_ID: POD_CLIENT } },
    ],
    [
      'aks_wi',
      'the variable AZURE_FEDERATED_TOKEN_FILE, and client_id or the variable AZURE_CLIENT_ID',
      {},
      { env: { AZURE_FEDERATED_TOKEN_FILE: '/nowhere' } },
    ],
  ])('that is pinned as %s is never another one: it needs %s', (credentialKind, what, changes, sources) => {
    expect(() => ask({ ...changes, credentialKind }, sources)).toThrow(
      expect.objectContaining({
        code: 'not_configured',
        field: 'auth_type',
        message: `auth_type: "${credentialKind}" needs ${what}`,
      }),
    );
    expect(metadataRequests).toEqual([]);
  });

  test('of a host that signs no identity tokens is not there, and nothing takes its place', () => {
    expect(() => ask(FEDERATION, { env: podEnv })).toThrow(
      expect.objectContaining({ code: 'capability_missing', field: 'identity_token_audience' }),
    );
  });
});

describe('an identity token of the host', () => {
  test('is asked for with the configured audience and lifetime', async () => {
    const asked: unknown[] = [];
    const generateIdentityToken: CredentialSources['generateIdentityToken'] = (...parameters) => {
      asked.push(parameters);
      return Promise.resolve({ token: HOST_TOKEN, ttl: 600 });
    };
    await ask(FEDERATION, { generateIdentityToken });
    expect(asked).toEqual([['api://exchange', 600]]);
  });

  test('that is refused is refused with the reason of the host', async () => {
    const reason = new AuthMethodError('capability_missing', 'identity_token_audience: no base URL');
    const generateIdentityToken = (): Promise<never> => Promise.reject(reason);
    await expect(ask(FEDERATION, { generateIdentityToken })).rejects.toBe(reason);
  });

  test('that does not come for any other reason is an outage', async () => {
    const generateIdentityToken = (): Promise<never> => Promise.reject(new TypeError('bug'));
    await expect(ask(FEDERATION, { generateIdentityToken })).rejects.toMatchObject({
      code: 'provider_unavailable',
      message: 'This host did not sign an identity token.',
    });
  });
});
