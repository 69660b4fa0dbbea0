import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ResourceManagementClient } from '@azure/arm-resources';
import { decodeJwt } from 'jose';
import { startSimulator } from '../../src/simulator/index.js';
import type { Actor, Application, Simulator } from '../../src/simulator/index.js';
import { ask, credentialOf } from './support.js';

const resource = 'https://vault.example.com';
let simulator: Simulator;
let application: Application;

beforeAll(async () => {
  simulator = await startSimulator();
  application = simulator.addApplication();
});

afterAll(() => simulator.close());

function resources(reader = application): ResourceManagementClient {
  return new ResourceManagementClient(credentialOf(simulator, reader), simulator.subscriptionId, {
    endpoint: simulator.url,
    credentialScopes: 'https://management.azure.com/.default',
    tlsOptions: { ca: simulator.caPem },
  });
}

/** API versions of a type, as the resource manager lists them. */
async function versionsOf(namespace: string, type: string): Promise<string[]> {
  const { resourceTypes } = await resources().providers.get(namespace);
  return resourceTypes!.find(({ resourceType }) => resourceType === type)!.apiVersions!;
}

describe('a resource', () => {
  test.each([
    ['a web app', 'Microsoft.Web/sites', 'app', 'app,linux'],
    ['a function', 'Microsoft.Web/sites', 'function', 'functionapp,linux'],
    ['a slot', 'Microsoft.Web/sites/slots', 'app/staging', 'app,linux'],
    ['a container group', 'Microsoft.ContainerInstance/containerGroups', 'job', undefined],
    ['an Arc machine', 'Microsoft.HybridCompute/machines', 'on-site', undefined],
    ['a type of its own', 'Contoso.Tools/drills/bits', 'd1/b1', undefined],
  ])('like %s is read by id, with its identities', async (_what, type, name, kind) => {
    const identity = simulator.addUserAssignedIdentity({ name: 'shared' });
    const added = simulator.addResource({
      type,
      name,
      systemAssigned: true,
      userAssigned: [identity],
      properties: { size: 3 },
      ...(kind !== undefined && { kind }),
    });
    const [namespace = '', ...types] = type.split('/');
    const [version = ''] = await versionsOf(namespace, types.join('/'));
    const found = await resources().resources.getById(added.id, version);
    expect(found).toMatchObject({ id: added.id, name, type, location: 'westeurope', properties: { size: 3 } });
    expect(found.kind).toBe(kind);
    expect(found.identity).toMatchObject({
      type: 'SystemAssigned, UserAssigned',
      principalId: added.systemAssigned!.principalId,
      userAssignedIdentities: { [identity.id]: { principalId: identity.principalId } },
    });
  });

  test('has its id made of pairs of types and names, and as many of one as of the other', () => {
    const { id } = simulator.addResource({ type: 'Microsoft.Web/sites/slots', name: 'app/staging' });
    expect(id).toMatch(/\/providers\/Microsoft\.Web\/sites\/app\/slots\/staging$/);
    expect(() => simulator.addResource({ type: 'Microsoft.Web/sites/slots', name: 'app' })).toThrow('takes 2 names');
  });

  test('goes with what is nested in it when it is removed', async () => {
    const site = simulator.addResource({ type: 'Microsoft.Web/sites', name: 'going' });
    const slot = simulator.addResource({ type: 'Microsoft.Web/sites/slots', name: 'going/staging' });
    const other = simulator.addResource({ type: 'Microsoft.Web/sites', name: 'going-on' });
    simulator.removeResource(site);
    const gone = { statusCode: 404, code: 'ResourceNotFound' };
    await expect(resources().resources.getById(site.id, '2024-11-01')).rejects.toMatchObject(gone);
    await expect(resources().resources.getById(slot.id, '2024-11-01')).rejects.toMatchObject(gone);
    await expect(resources().resources.getById(other.id, '2024-11-01')).resolves.toMatchObject({ id: other.id });
  });

  test('may be closed to an application that reads others', async () => {
    const open = simulator.addResource({ type: 'Microsoft.Web/sites', name: 'open' });
    const closed = simulator.addResource({ type: 'Microsoft.Web/sites', name: 'closed' });
    const limited = simulator.addApplication({
      mayRead: (scope, action) => action === 'Microsoft.Web/sites/read' && scope === open.id,
    });
    await expect(resources(limited).resources.getById(open.id, '2024-11-01')).resolves.toMatchObject({ id: open.id });
    const refusal = { statusCode: 403, code: 'AuthorizationFailed' };
    await expect(resources(limited).resources.getById(closed.id, '2024-11-01')).rejects.toMatchObject(refusal);
    await expect(resources(limited).providers.get('Microsoft.Web')).rejects.toMatchObject(refusal);
  });
});

describe('API versions', () => {
  test('are listed for each type of a namespace, previews among them, whatever the case', async () => {
    const provider = await resources().providers.get('microsoft.containerinstance');
    expect(provider).toMatchObject({
      id: `/subscriptions/${simulator.subscriptionId}/providers/Microsoft.ContainerInstance`,
      namespace: 'Microsoft.ContainerInstance',
      registrationState: 'Registered',
    });
    const versions = await versionsOf('Microsoft.ContainerInstance', 'containerGroups');
    expect(versions).toContain('2023-05-01');
    expect(versions[0]).toMatch(/-preview$/);
  });

  test('that a type does not have are refused, and can be changed', async () => {
    const { id } = simulator.addResource({ type: 'Contoso.Changing/things', name: 'thing' });
    simulator.setApiVersions('Contoso.Changing/things', ['2031-01-01']);
    await expect(resources().resources.getById(id, '2024-01-01')).rejects.toMatchObject({
      statusCode: 400,
      code: 'NoRegisteredProviderFound',
      message: expect.stringContaining("type 'things'. The supported api-versions are '2031-01-01'"),
    });
    await expect(resources().resources.getById(id, '2031-01-01')).resolves.toMatchObject({ name: 'thing' });
    await expect(resources().resources.getById(id, 'latest')).rejects.toMatchObject({
      statusCode: 400,
      code: 'InvalidApiVersionParameter',
    });
  });

  test('are unknown for unknown types and namespaces', async () => {
    const scope = `/subscriptions/${simulator.subscriptionId}/resourceGroups/group/providers`;
    await expect(resources().resources.getById(`${scope}/Microsoft.Web/farms/x`, '2024-11-01')).rejects.toMatchObject({
      statusCode: 404,
      code: 'InvalidResourceType',
    });
    const unknown = { statusCode: 404, code: 'InvalidResourceNamespace' };
    await expect(resources().resources.getById(`${scope}/No.Such/type/x`, '2024-11-01')).rejects.toMatchObject(unknown);
    await expect(resources().providers.get('No.Such')).rejects.toMatchObject(unknown);
  });

  test('are not listed for a subscription that does not exist', async () => {
    const { token } = await credentialOf(simulator, application).getToken();
    const path = '/subscriptions/00000000-0000-0000-0000-000000000000/providers/Microsoft.Web?api-version=2025-04-01';
    const reply = await ask(simulator, path, { headers: { authorization: `Bearer ${token}` } });
    expect(reply.json()).toMatchObject({ error: { code: 'SubscriptionNotFound' } });
  });
});

describe("a web app's token", () => {
  let app: Actor;
  beforeAll(() => {
    const identity = simulator.addUserAssignedIdentity({ name: 'app-identity' });
    app = simulator.addResource({
      type: 'Microsoft.Web/sites',
      name: 'app',
      systemAssigned: true,
      userAssigned: [identity],
    });
  });

  test('for its own identity names the app, and no resource that asked', async () => {
    const claims = decodeJwt(await simulator.tokenFor(app, { resource }));
    expect(claims).toMatchObject({
      oid: app.systemAssigned!.principalId,
      xms_mirid: expect.stringMatching(/\/resourcegroups\/group\/providers\/Microsoft\.Web\/sites\/app$/),
    });
    expect(claims).not.toHaveProperty('xms_az_rid');
  });

  test('for an attached identity names that identity only', async () => {
    const [identity] = app.userAssigned;
    const claims = decodeJwt(await simulator.tokenFor(app, { resource, identity: identity! }));
    expect(claims).toMatchObject({
      oid: identity!.principalId,
      xms_mirid: expect.stringMatching(/\/userAssignedIdentities\/app-identity$/),
    });
    expect(claims).not.toHaveProperty('xms_az_rid');
  });
});
