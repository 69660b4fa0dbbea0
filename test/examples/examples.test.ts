import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createLocalJWKSet, generateKeyPair, jwtVerify } from 'jose';
import type { JSONWebKeySet } from 'jose';
import { createEmbeddingServer } from '../../examples/embed/server.js';
import { MapStorage } from '../../examples/embed/map-storage.js';
import { createGateway } from '../../examples/gateway/gateway.js';
import type { Backend } from '../../src/index.js';
import { startSimulator } from '../../src/simulator/index.js';
import type { Simulator, VirtualMachine } from '../../src/simulator/index.js';
import { runStorageContract } from '../../src/testing/index.js';
import { recordingLogger } from '../support/logger.js';

const RESOURCE = 'https://secrets.example.com';

let cloud: Simulator;
let machine: VirtualMachine;

beforeAll(async () => {
  cloud = await startSimulator();
  machine = cloud.addVirtualMachine({ name: 'web-1', systemAssigned: true });
});

afterAll(async () => {
  await cloud.close();
});

async function configure(backend: Backend): Promise<void> {
  const { clientId, clientSecret } = cloud.addApplication({});
  const write = (path: string, data: Record<string, unknown>): Promise<unknown> =>
    backend.handleRequest({ id: 'setup', operation: 'update', path, data });
  await write('config', {
    tenant_id: cloud.tenantId,
    resource: RESOURCE,
    client_id: clientId,
    client_secret: clientSecret,
  });
  await write('role/web', { bound_resource_groups: [machine.resourceGroup], token_policies: ['web'] });
}

async function loginBody(vmName = machine.name): Promise<string> {
  return JSON.stringify({
    role: 'web',
    jwt: await cloud.tokenFor(machine, { resource: RESOURCE }),
    subscription_id: machine.subscriptionId,
    resource_group_name: machine.resourceGroup,
    vm_name: vmName,
  });
}

runStorageContract('the storage of the embedding example', () => new MapStorage(), { describe, it: test });

describe('the embedding example', () => {
  let url: string;
  let close: () => Promise<void>;

  beforeAll(async () => {
    const { server, backend } = await createEmbeddingServer(recordingLogger(), { environments: [cloud.environment] });
    await configure(backend);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    close = async () => {
      server.closeAllConnections();
      server.close();
      await backend.cleanup();
    };
  });

  afterAll(() => close());

  test('opens a session for a machine that logs in', async () => {
    const login = await fetch(`${url}/login`, { method: 'POST', body: await loginBody() });
    expect(login.status).toBe(200);
    const { session } = (await login.json()) as { session: string };
    const whoami = await fetch(url, { headers: { authorization: `Bearer ${session}` } });
    expect(await whoami.json()).toEqual({ machine: 'web-1', policies: ['web'] });
  });

  test('refuses another machine, a broken body and a stranger', async () => {
    const other = await fetch(`${url}/login`, { method: 'POST', body: await loginBody('web-2') });
    expect([other.status, ((await other.json()) as { errors: string[] }).errors[0]]).toEqual([
      403,
      'the token does not come from the virtual machine named by vm_name',
    ]);
    expect((await fetch(`${url}/login`, { method: 'POST', body: '{' })).status).toBe(400);
    expect((await fetch(url)).status).toBe(401);
  });
});

describe('the gateway example', () => {
  test('issues a signed token of its own, unless its own rule refuses', async () => {
    const lockedOut = new Set<string>();
    const { server, backend } = await createEmbeddingServer(recordingLogger(), { environments: [cloud.environment] });
    await configure(backend);
    const gateway = createGateway({
      backend,
      keys: await generateKeyPair('ES256'),
      issuer: 'https://gateway.example.com',
      isLockedOut: (name) => lockedOut.has(name),
      addressOf: () => '127.0.0.1',
    });
    const answer = await gateway.request('/login', { method: 'POST', body: await loginBody() });
    expect(answer.status).toBe(200);
    const { token } = (await answer.json()) as { token: string };
    const keys = (await (await gateway.request('/.well-known/jwks.json')).json()) as JSONWebKeySet;
    const { payload } = await jwtVerify(token, createLocalJWKSet(keys), { issuer: 'https://gateway.example.com' });
    expect(payload).toMatchObject({ machine: 'web-1', policies: ['web'], sub: machine.systemAssigned?.principalId });

    lockedOut.add('web-1');
    const refused = await gateway.request('/login', { method: 'POST', body: await loginBody() });
    expect([refused.status, await refused.json()]).toEqual([
      403,
      { errors: ['the machine is locked out of the gateway'] },
    ]);
    server.close();
    await backend.cleanup();
  });
});
