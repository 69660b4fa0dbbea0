import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ComputeManagementClient } from '@azure/arm-compute';
import { decodeJwt } from 'jose';
import { startSimulator } from '../../src/simulator/index.js';
import type { Application, Simulator } from '../../src/simulator/index.js';
import { credentialOf, send } from './support.js';

const resource = 'https://vault.example.com';
let simulator: Simulator;
let application: Application;

beforeAll(async () => {
  simulator = await startSimulator();
  application = simulator.addApplication();
});

afterAll(() => simulator.close());

function compute(reader = application): ComputeManagementClient {
  return new ComputeManagementClient(credentialOf(simulator, reader), simulator.subscriptionId, {
    endpoint: simulator.url,
    credentials: { scopes: ['https://management.azure.com/.default'] },
    tlsOptions: { ca: simulator.caPem },
  });
}

/** The id as tokens spell it. */
function inToken(id: string): string {
  return id.replace('resourceGroups', 'resourcegroups');
}

describe('a scale set', () => {
  test.each([
    ['uniform', 'Uniform'],
    ['flexible', 'Flexible'],
  ] as const)('of %s orchestration is read with its identities', async (orchestration, mode) => {
    const identity = simulator.addUserAssignedIdentity({ name: 'shared' });
    const scaleSet = simulator.addScaleSet({
      name: `read-${orchestration}`,
      orchestration,
      systemAssigned: true,
      userAssigned: [identity],
    });
    const found = await compute().virtualMachineScaleSets.get('GROUP', scaleSet.name.toUpperCase());
    expect(found).toMatchObject({
      id: scaleSet.id,
      name: scaleSet.name,
      location: 'westeurope',
      orchestrationMode: mode,
      sku: { name: 'Standard_D2s_v5', tier: 'Standard' },
      identity: {
        type: 'SystemAssigned, UserAssigned',
        principalId: scaleSet.systemAssigned!.principalId,
        userAssignedIdentities: { [identity.id]: { clientId: identity.clientId, principalId: identity.principalId } },
      },
    });
  });

  test('keeps principal ids to itself on request', async () => {
    const userAssigned = [simulator.addUserAssignedIdentity({ name: 'silent' })];
    simulator.addScaleSet({ name: 'silent', userAssigned, omitPrincipalIds: true });
    const { identity } = await compute().virtualMachineScaleSets.get('group', 'silent');
    expect(identity!.userAssignedIdentities![userAssigned[0]!.id]!.clientId).toBe(userAssigned[0]!.clientId);
    expect(identity!.userAssignedIdentities![userAssigned[0]!.id]!.principalId).toBeUndefined();
  });

  test('may be closed to an application that reads others', async () => {
    const limited = simulator.addApplication({ mayRead: (scope) => scope.toLowerCase().endsWith('/open') });
    simulator.addScaleSet({ name: 'open' });
    simulator.addScaleSet({ name: 'closed' });
    await expect(compute(limited).virtualMachineScaleSets.get('group', 'open')).resolves.toMatchObject({
      name: 'open',
    });
    await expect(compute(limited).virtualMachineScaleSets.get('group', 'closed')).rejects.toMatchObject({
      statusCode: 403,
      code: 'AuthorizationFailed',
    });
  });

  test('takes uniform instances along when it is removed', async () => {
    const scaleSet = simulator.addScaleSet({ name: 'short-lived', systemAssigned: true });
    const metadata = await simulator.metadataService(simulator.addInstance(scaleSet));
    simulator.removeResource(scaleSet);
    await expect(compute().virtualMachineScaleSets.get('group', 'short-lived')).rejects.toMatchObject({
      code: 'ResourceNotFound',
    });
    expect((await send(`${metadata.url}/metadata/instance?api-version=2021-02-01`)).status).toBe(404);
  });
});

describe('an instance of a uniform scale set', () => {
  test('is read below the scale set and listed with its siblings only', async () => {
    const scaleSet = simulator.addScaleSet({ name: 'web', systemAssigned: true });
    const instances = [simulator.addInstance(scaleSet), simulator.addInstance(scaleSet, { instanceId: '77' })];
    simulator.addInstance(simulator.addScaleSet({ name: 'web-2' }));
    expect(instances[1]).toMatchObject({ id: `${scaleSet.id}/virtualMachines/77`, name: 'web_77' });
    const found = await compute().virtualMachineScaleSetVMs.get('group', 'web', '77');
    expect(found).toMatchObject({ id: instances[1]!.id, name: 'web_77', instanceId: '77', vmId: instances[1]!.vmId });
    const listed = [];
    for await (const { id } of compute().virtualMachineScaleSetVMs.list('group', 'web')) listed.push(id);
    expect(listed).toEqual(instances.map(({ id }) => id));
  });

  test('gets tokens that name the scale set', async () => {
    const identity = simulator.addUserAssignedIdentity({ name: 'uniform-identity' });
    const scaleSet = simulator.addScaleSet({ name: 'claims', systemAssigned: true, userAssigned: [identity] });
    const instance = simulator.addInstance(scaleSet);
    expect(decodeJwt(await simulator.tokenFor(instance, { resource }))).toMatchObject({
      oid: scaleSet.systemAssigned!.principalId,
      xms_az_rid: inToken(scaleSet.id),
      xms_mirid: inToken(scaleSet.id),
    });
    expect(decodeJwt(await simulator.tokenFor(instance, { resource, identity }))).toMatchObject({
      oid: identity.principalId,
      xms_az_rid: inToken(scaleSet.id),
      xms_mirid: inToken(identity.id),
    });
  });
});

describe('an instance of a flexible scale set', () => {
  test('is a virtual machine that refers to the scale set', async () => {
    const identity = simulator.addUserAssignedIdentity({ name: 'flexible-identity' });
    const placement = { resourceGroup: 'flexible-group', location: 'eastus' };
    const scaleSet = simulator.addScaleSet({
      ...placement,
      name: 'api',
      orchestration: 'flexible',
      userAssigned: [identity],
    });
    const instance = simulator.addInstance(scaleSet);
    expect(instance.name).toMatch(/^api_[0-9a-f]{8}$/);
    const found = await compute().virtualMachines.get('flexible-group', instance.name);
    expect(found).toMatchObject({ location: 'eastus', virtualMachineScaleSet: { id: scaleSet.id } });
    expect(Object.keys(found.identity!.userAssignedIdentities!)).toEqual([identity.id]);
    expect(decodeJwt(await simulator.tokenFor(instance, { resource }))).toMatchObject({
      oid: identity.principalId,
      xms_az_rid: inToken(instance.id),
      xms_mirid: inToken(identity.id),
    });
  });
});

test.each(['uniform', 'flexible'] as const)('the metadata service of a %s instance', async (orchestration) => {
  const userAssigned = [simulator.addUserAssignedIdentity({ name: 'metadata' })];
  const scaleSet = simulator.addScaleSet({ name: `metadata-${orchestration}`, orchestration, userAssigned });
  const instance = simulator.addInstance(scaleSet);
  const { url } = await simulator.metadataService(instance);
  const headers = { metadata: 'true' };
  const document = await send(`${url}/metadata/instance?api-version=2021-02-01`, { headers });
  expect(document.json()['compute']).toMatchObject({
    name: instance.name,
    resourceId: instance.id,
    vmId: instance.vmId,
    vmScaleSetName: scaleSet.name,
  });
  const path = `/metadata/identity/oauth2/token?api-version=2018-02-01&resource=${resource}`;
  const { access_token: token } = (await send(url + path, { headers })).json();
  expect(decodeJwt(String(token))['oid']).toBe(userAssigned[0]!.principalId);
});
