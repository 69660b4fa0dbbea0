import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { decodeJwt } from 'jose';
import { findIdentitySource } from '../../src/cli/identity/find-identity-source.js';
import type { Environment, IdentitySource } from '../../src/cli/identity/identity-source.js';
import { startSimulator } from '../../src/simulator/index.js';
import type { Actor, Simulator, UserAssignedIdentity } from '../../src/simulator/index.js';

const RESOURCE = 'https://secrets.example.com';

let simulator: Simulator;
let identity: UserAssignedIdentity;

beforeAll(async () => {
  simulator = await startSimulator();
  identity = simulator.addUserAssignedIdentity({ name: 'shared' });
});

afterAll(() => simulator.close());

function resource(type: string, name: string): Actor {
  return simulator.addResource({ type, name, systemAssigned: true, userAssigned: [identity] });
}

async function sourceOf(actor: Actor, more: Environment = {}): Promise<IdentitySource> {
  const service = await simulator.metadataService(actor);
  return findIdentitySource(service, { ...service.env, ...more });
}

async function principalOf(source: IdentitySource, client?: string): Promise<unknown> {
  const token = await source.token({ resource: RESOURCE, ...(client !== undefined && { identity: client }) });
  return decodeJwt(token)['oid'];
}

describe.each<[string, () => Actor]>([
  ['virtual machine', () => simulator.addVirtualMachine({ systemAssigned: true, userAssigned: [identity] })],
  ['web app', () => resource('Microsoft.Web/sites', 'shop')],
  ['container app', () => resource('Microsoft.App/containerApps', 'cart')],
  ['container group', () => resource('Microsoft.ContainerInstance/containerGroups', 'report')],
  ['Arc machine', () => resource('Microsoft.HybridCompute/machines', 'factory')],
])('%s', (_kind, create) => {
  test('gets a token of its own identity, or of the one that is named', async () => {
    const actor = create();
    const source = await sourceOf(actor);
    expect(await principalOf(source)).toBe(actor.systemAssigned!.principalId);
    expect(await principalOf(source, identity.clientId)).toBe(identity.principalId);
    await expect(principalOf(source, 'nobody')).rejects.toThrow(/^the metadata service refused .+ \(400\): \w/);
  });
});

describe('the names that a login sends', () => {
  const where = (): Record<string, string> => ({
    subscription_id: simulator.subscriptionId,
    resource_group_name: 'group',
  });
  const idOf = (rest: string): string =>
    `/subscriptions/${simulator.subscriptionId}/resourceGroups/group/providers/${rest}`;

  test.each<[string, () => Actor, () => Record<string, string>]>([
    ['a virtual machine', () => simulator.addVirtualMachine({ name: 'web' }), () => ({ vm_name: 'web' })],
    [
      'an instance of a scale set',
      () => simulator.addInstance(simulator.addScaleSet({ name: 'pool' })),
      () => ({ vmss_name: 'pool' }),
    ],
    [
      'an instance of a flexible scale set',
      () => simulator.addInstance(simulator.addScaleSet({ name: 'loose', orchestration: 'flexible' })),
      () => ({ vmss_name: 'loose' }),
    ],
    [
      'a web app',
      () => resource('Microsoft.Web/sites', 'shop'),
      () => ({ resource_id: idOf('Microsoft.Web/sites/shop') }),
    ],
    [
      'a slot of a web app',
      () => resource('Microsoft.Web/sites/slots', 'shop/staging'),
      () => ({ resource_id: idOf('Microsoft.Web/sites/shop/slots/staging') }),
    ],
    [
      'an Arc machine',
      () => resource('Microsoft.HybridCompute/machines', 'factory'),
      () => ({ resource_id: idOf('Microsoft.HybridCompute/machines/factory') }),
    ],
  ])('of %s', async (_kind, create, names) => {
    expect(await (await sourceOf(create())).names()).toEqual({ ...where(), ...names() });
  });

  test('of a container group are for the user to give', async () => {
    const source = await sourceOf(resource('Microsoft.ContainerInstance/containerGroups', 'report'));
    await expect(source.names()).rejects.toThrow(/leave out --vm .+ --field subscription_id=.+ resource_id=/);
  });

  test.each(['WEBSITE_OWNER_NAME', 'WEBSITE_RESOURCE_GROUP', 'WEBSITE_SITE_NAME'])(
    'of an app without %s are for the user to give',
    async (variable) => {
      const source = await sourceOf(resource('Microsoft.Web/sites', 'shop'), { [variable]: '' });
      await expect(source.names()).rejects.toThrow(/leave out --vm .+ --field subscription_id=.+ resource_id=/);
    },
  );
});

describe('where it looks', () => {
  test('an app is told from an Arc machine by its secret', async () => {
    const app = await simulator.metadataService(resource('Microsoft.Web/sites', 'shop'));
    const source = findIdentitySource({}, { ...app.env, IMDS_ENDPOINT: 'http://127.0.0.1:1' });
    expect(await principalOf(source, identity.clientId)).toBe(identity.principalId);
  });

  test('a wrong secret is refused', async () => {
    const source = await sourceOf(resource('Microsoft.Web/sites', 'shop'), { IDENTITY_HEADER: 'canary-guess' });
    await expect(principalOf(source)).rejects.toThrow('the metadata service refused /msi/token (401): ');
  });

  test('a secret that does not fit a header is not shown', async () => {
    const source = await sourceOf(resource('Microsoft.Web/sites', 'shop'), { IDENTITY_HEADER: 'canary-a\ncanary-b' });
    const failure = await principalOf(source).catch((error: unknown) => String(error));
    expect(failure).toMatch(/the header X-IDENTITY-HEADER takes printable characters$/);
  });

  test.each([
    ['--metadata-url', { metadataUrl: 'nowhere' }, {}],
    ['--metadata-url', { metadataUrl: 'http://user:canary-word@127.0.0.1' }, {}],
    ['IDENTITY_ENDPOINT', {}, { IDENTITY_ENDPOINT: 'file:///etc/passwd', IDENTITY_HEADER: 'x' }],
    ['IDENTITY_ENDPOINT', {}, { IDENTITY_ENDPOINT: 'x', IMDS_ENDPOINT: 'http://127.0.0.1' }],
    ['IMDS_ENDPOINT', {}, { IDENTITY_ENDPOINT: 'http://127.0.0.1', IMDS_ENDPOINT: 'x' }],
    ['AZURE_POD_IDENTITY_AUTHORITY_HOST', {}, { AZURE_POD_IDENTITY_AUTHORITY_HOST: 'x' }],
  ])('what is no address is named: %s', (name, options, env) => {
    expect(() => findIdentitySource(options, env)).toThrow(new RegExp(`^${name}: (got|takes)`));
  });
});
