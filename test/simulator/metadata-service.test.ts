import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { decodeJwt } from 'jose';
import { startSimulator } from '../../src/simulator/index.js';
import type { Endpoint, Simulator, UserAssignedIdentity, VirtualMachine } from '../../src/simulator/index.js';
import { ask, send } from './support.js';
import type { Reply, RequestOptions } from './support.js';

const AUDIENCE = 'https://vault.example.com';
const TOKEN = `/metadata/identity/oauth2/token?api-version=2018-02-01&resource=${encodeURIComponent(AUDIENCE)}`;
const INSTANCE = '/metadata/instance?api-version=2021-02-01';
const metadata = { metadata: 'true' };

let simulator: Simulator;
let first: UserAssignedIdentity;
let second: UserAssignedIdentity;
let machine: VirtualMachine;
let endpoint: Endpoint;

beforeAll(async () => {
  simulator = await startSimulator();
  first = simulator.addUserAssignedIdentity({ name: 'first' });
  second = simulator.addUserAssignedIdentity({ name: 'second' });
  machine = simulator.addVirtualMachine({ name: 'web', systemAssigned: true, userAssigned: [first, second] });
  endpoint = await simulator.metadataService(machine);
});

afterAll(() => simulator.close());

function get(path: string, options: RequestOptions = {}): Promise<Reply> {
  return send(endpoint.url + path, { headers: metadata, ...options });
}

async function principalOf(path: string, url = endpoint.url): Promise<unknown> {
  return decodeJwt(String((await send(url + path, { headers: metadata })).json()['access_token']))['oid'];
}

describe('instance metadata', () => {
  test('says what the machine is', async () => {
    expect((await get(INSTANCE)).json()['compute']).toMatchObject({
      name: 'web',
      resourceGroupName: 'group',
      subscriptionId: simulator.subscriptionId,
      location: 'westeurope',
      resourceId: machine.id,
      vmId: machine.vmId,
      vmScaleSetName: '',
    });
  });

  test('is served to each machine apart', async () => {
    const other = await simulator.metadataService(simulator.addVirtualMachine({ name: 'other' }));
    expect((await send(other.url + INSTANCE, { headers: metadata })).json()).toMatchObject({
      compute: { name: 'other' },
    });
  });

  test("is the first machine's on the simulator's own port", async () => {
    for (const headers of [metadata, { ...metadata, host: '169.254.169.254' }]) {
      expect((await ask(simulator, INSTANCE, { headers })).json()).toMatchObject({ compute: { name: 'web' } });
    }
  });

  test('ends with the machine', async () => {
    const doomed = simulator.addVirtualMachine({ name: 'doomed' });
    const { url } = await simulator.metadataService(doomed);
    simulator.removeVirtualMachine(doomed);
    expect((await send(url + INSTANCE, { headers: metadata })).status).toBe(404);
  });
});

describe('identity tokens', () => {
  test('say again how the identity was named', async () => {
    const byObject = (await get(`${TOKEN}&object_id=${second.principalId}`)).json();
    expect(byObject).toMatchObject({ object_id: second.principalId, client_id: second.clientId });
    expect((await get(`${TOKEN}&msi_res_id=${encodeURIComponent(first.id)}`)).json()).toHaveProperty(
      'msi_res_id',
      first.id,
    );
    expect((await get(TOKEN)).json()).not.toHaveProperty('object_id');
  });

  test('come as the provider shapes them', async () => {
    const answer = (await get(TOKEN)).json();
    expect(answer).toMatchObject({
      client_id: machine.systemAssigned!.clientId,
      expires_in: '86399',
      resource: AUDIENCE,
      token_type: 'Bearer',
    });
    expect(decodeJwt(String(answer['access_token']))).toMatchObject({
      aud: AUDIENCE,
      exp: Number(answer['expires_on']),
      xms_mirid: machine.id.replace('resourceGroups', 'resourcegroups'),
    });
  });

  test("are the machine's own identity's unless another is chosen", async () => {
    expect(await principalOf(TOKEN)).toBe(machine.systemAssigned!.principalId);
    expect(await principalOf(`${TOKEN}&client_id=${first.clientId.toUpperCase()}`)).toBe(first.principalId);
    expect(await principalOf(`${TOKEN}&object_id=${second.principalId}`)).toBe(second.principalId);
    expect(await principalOf(`${TOKEN}&msi_res_id=${encodeURIComponent(second.id)}`)).toBe(second.principalId);
    expect(await principalOf(`${TOKEN}&client_id=${machine.systemAssigned!.clientId}`)).toBe(
      machine.systemAssigned!.principalId,
    );
  });

  test('need a choice between several attached identities, and none of a single one', async () => {
    const several = simulator.addVirtualMachine({ name: 'several', userAssigned: [first, second] });
    const { url } = await simulator.metadataService(several);
    const reply = await send(url + TOKEN, { headers: metadata });
    expect(reply.status).toBe(400);
    expect(reply.json()['error_description']).toMatch(/^Multiple user assigned identities exist/);
    simulator.updateVirtualMachine(several, { userAssigned: [second] });
    expect(await principalOf(TOKEN, url)).toBe(second.principalId);
  });
});

describe('a container group', () => {
  let group: Endpoint;

  beforeAll(async () => {
    const type = 'Microsoft.ContainerInstance/containerGroups';
    const resource = simulator.addResource({ type, name: 'report', userAssigned: [first] });
    group = await simulator.metadataService(resource);
  });

  test('gets tokens like a machine', async () => {
    expect(await principalOf(TOKEN, group.url)).toBe(first.principalId);
  });

  test('does not learn what it is', async () => {
    expect((await send(group.url + INSTANCE, { headers: metadata })).status).toBe(404);
  });
});

describe('refusals', () => {
  test.each<[string, string, RequestOptions]>([
    ['a missing Metadata header', TOKEN, { headers: {} }],
    ['another value in it', TOKEN, { headers: { metadata: 'yes' } }],
    ['a proxied request', TOKEN, { headers: { ...metadata, 'x-forwarded-for': '10.0.0.1' } }],
    ['a proxied request for instance data', INSTANCE, { headers: { ...metadata, 'x-forwarded-for': '10.0.0.1' } }],
    ['a missing Metadata header for instance data', INSTANCE, { headers: {} }],
    ['another method', TOKEN, { method: 'POST', headers: metadata }],
    ['no api-version', '/metadata/instance', {}],
    ['an unknown api-version', '/metadata/instance?api-version=2017-07-01', {}],
    ['an api-version from before there were tokens', TOKEN.replace('2018-02-01', '2017-08-01'), {}],
    ['a format it does not have', `${INSTANCE}&format=text`, {}],
    ['no resource', '/metadata/identity/oauth2/token?api-version=2018-02-01', {}],
    ['an unknown identity', `${TOKEN}&client_id=nobody`, {}],
  ])('of %s', async (_what, path, options) => {
    const reply = await get(path, options);
    expect(reply.status).toBe(400);
    expect(reply.json()).toHaveProperty('error');
    expect(reply.text).not.toContain('access_token');
  });

  test('of a machine without identities', async () => {
    const { url } = await simulator.metadataService(simulator.addVirtualMachine({ name: 'plain' }));
    const reply = await send(url + TOKEN, { headers: metadata });
    expect(reply.json()).toEqual({ error: 'invalid_request', error_description: 'Identity not found' });
  });

  test('of other paths', async () => {
    expect((await get('/metadata/attested')).status).toBe(404);
  });
});
