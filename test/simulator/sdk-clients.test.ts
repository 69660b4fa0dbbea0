import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ComputeManagementClient } from '@azure/arm-compute';
import { ManagedServiceIdentityClient } from '@azure/arm-msi';
import { ConfidentialClientApplication } from '@azure/msal-node';
import type { INetworkModule, NetworkRequestOptions, NetworkResponse } from '@azure/msal-node';
import { startSimulator } from '../../src/simulator/index.js';
import type { Application, Simulator } from '../../src/simulator/index.js';
import { ask } from './support.js';

const SCOPE = 'https://management.azure.com/.default';

let simulator: Simulator;
let application: Application;

beforeAll(async () => {
  simulator = await startSimulator({ pageSize: 2 });
  application = simulator.addApplication();
});

afterAll(() => simulator.close());

async function viaAuthority<T>(
  method: string,
  url: string,
  { headers = {}, body = '' }: NetworkRequestOptions = {},
): Promise<NetworkResponse<T>> {
  const reply = await ask(simulator, url.slice(simulator.url.length), { method, headers, body });
  return { status: reply.status, headers: reply.headers as Record<string, string>, body: reply.json() as T };
}

/** MSAL's way out, trusting the simulator's authority. */
const networkClient: INetworkModule = {
  sendGetRequestAsync: (url, options) => viaAuthority('GET', url, options),
  sendPostRequestAsync: (url, options) => viaAuthority('POST', url, options),
};

function confidentialClient(clientSecret: string): ConfidentialClientApplication {
  return new ConfidentialClientApplication({
    auth: {
      clientId: application.clientId,
      clientSecret,
      authority: `${simulator.url}/${simulator.tenantId}`,
      knownAuthorities: [new URL(simulator.url).host],
    },
    system: { networkClient },
  });
}

/** A credential for the SDKs that signs in through MSAL. */
function credential(): { getToken(): Promise<{ token: string; expiresOnTimestamp: number }> } {
  const client = confidentialClient(application.clientSecret);
  return {
    getToken: async () => {
      const result = await client.acquireTokenByClientCredential({ scopes: [SCOPE] });
      return { token: result!.accessToken, expiresOnTimestamp: result!.expiresOn!.getTime() };
    },
  };
}

function compute(subscriptionId = simulator.subscriptionId): ComputeManagementClient {
  return new ComputeManagementClient(credential(), subscriptionId, {
    endpoint: simulator.url,
    credentials: { scopes: [SCOPE] },
    tlsOptions: { ca: simulator.caPem },
  });
}

function identities(): ManagedServiceIdentityClient {
  return new ManagedServiceIdentityClient(credential(), simulator.subscriptionId, {
    endpoint: simulator.url,
    credentialScopes: SCOPE,
    tlsOptions: { ca: simulator.caPem },
  });
}

describe('msal-node', () => {
  test('discovers the authority and signs in', async () => {
    const result = await confidentialClient(application.clientSecret).acquireTokenByClientCredential({
      scopes: [SCOPE],
    });
    expect(result?.accessToken).toMatch(/^eyJ/);
  });

  test('reads the refusal of a wrong secret', async () => {
    const client = confidentialClient('canary-wrong');
    await expect(client.acquireTokenByClientCredential({ scopes: [SCOPE] })).rejects.toMatchObject({
      errorCode: 'invalid_client',
      errorNo: 7000215,
    });
  });
});

describe('arm-compute', () => {
  test('reads a virtual machine and its identities', async () => {
    const identity = simulator.addUserAssignedIdentity({ name: 'shared' });
    const machine = simulator.addVirtualMachine({ name: 'web', systemAssigned: true, userAssigned: [identity] });
    const found = await compute().virtualMachines.get('GROUP', 'Web');
    expect(found).toMatchObject({ id: machine.id, name: 'web', location: 'westeurope', vmId: machine.vmId });
    expect(found.identity).toEqual({
      type: 'SystemAssigned, UserAssigned',
      tenantId: simulator.tenantId,
      principalId: machine.systemAssigned!.principalId,
      userAssignedIdentities: {
        [identity.id]: { clientId: identity.clientId, principalId: identity.principalId },
      },
    });
  });

  test('reads the code of an error', async () => {
    const failure = compute().virtualMachines.get('group', 'nobody');
    await expect(failure).rejects.toMatchObject({ statusCode: 404, code: 'ResourceNotFound' });
  });
});

describe('arm-msi', () => {
  test('reads an identity', async () => {
    const identity = simulator.addUserAssignedIdentity({ name: 'reader' });
    const { id, principalId, clientId, tenantId } = await identities().userAssignedIdentities.get('group', 'READER');
    expect({ id, principalId, clientId, tenantId }).toEqual({
      id: identity.id,
      principalId: identity.principalId,
      clientId: identity.clientId,
      tenantId: simulator.tenantId,
    });
  });

  test('no longer finds an identity that was removed', async () => {
    simulator.removeUserAssignedIdentity(simulator.addUserAssignedIdentity({ name: 'removed' }));
    const failure = identities().userAssignedIdentities.get('group', 'removed');
    await expect(failure).rejects.toMatchObject({ statusCode: 404, code: 'ResourceNotFound' });
  });

  test('lists the identities of a group over many pages', async () => {
    const names = ['a', 'b', 'c', 'd', 'e'];
    for (const name of names) simulator.addUserAssignedIdentity({ name, resourceGroup: 'paged' });
    const listed = [];
    for await (const identity of identities().userAssignedIdentities.listByResourceGroup('paged'))
      listed.push(identity.name);
    expect(listed).toEqual(names);
    expect(simulator.calls({ path: /resourceGroups\/paged\// })).toHaveLength(3);
  });

  test('lists the identities of a subscription', async () => {
    simulator.addUserAssignedIdentity({ name: 'elsewhere', resourceGroup: 'other' });
    const listed = [];
    for await (const identity of identities().userAssignedIdentities.listBySubscription()) listed.push(identity.name);
    expect(listed).toContain('elsewhere');
  });
});
