import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { decodeJwt } from 'jose';
import { startSimulator } from '../../src/simulator/index.js';
import type { Actor, MetadataService, Simulator, UserAssignedIdentity } from '../../src/simulator/index.js';
import { send } from './support.js';
import type { Reply, RequestOptions } from './support.js';

const AUDIENCE = 'https://vault.example.com';
const QUERY = `?api-version=2019-08-01&resource=${encodeURIComponent(AUDIENCE)}`;

let simulator: Simulator;
let identity: UserAssignedIdentity;
let app: Actor;
let service: MetadataService;

beforeAll(async () => {
  simulator = await startSimulator();
  identity = simulator.addUserAssignedIdentity({ name: 'shared' });
  const options = { systemAssigned: true, userAssigned: [identity] };
  app = simulator.addResource({ type: 'Microsoft.Web/sites', name: 'shop', ...options });
  service = await simulator.metadataService(app);
});

afterAll(() => simulator.close());

/** A request as an app makes it by what it finds in its environment. */
function ask(query: string, { env }: MetadataService = service, options: RequestOptions = {}): Promise<Reply> {
  return send(`${env['IDENTITY_ENDPOINT']}${query}`, {
    headers: { 'x-identity-header': env['IDENTITY_HEADER']! },
    ...options,
  });
}

async function principalOf(query: string): Promise<unknown> {
  return decodeJwt(String((await ask(query)).json()['access_token']))['oid'];
}

describe('the token endpoint of an app', () => {
  test('answers as the provider shapes it', async () => {
    const answer = (await ask(QUERY)).json();
    expect(Object.keys(answer).sort()).toEqual(['access_token', 'client_id', 'expires_on', 'resource', 'token_type']);
    expect(answer).toMatchObject({
      client_id: app.systemAssigned!.clientId,
      resource: AUDIENCE,
      token_type: 'Bearer',
    });
    expect(decodeJwt(String(answer['access_token']))).toMatchObject({
      aud: AUDIENCE,
      exp: Number(answer['expires_on']),
      xms_mirid: app.id.replace('resourceGroups', 'resourcegroups'),
    });
  });

  test("gives the app's own identity unless another is named", async () => {
    expect(await principalOf(QUERY)).toBe(app.systemAssigned!.principalId);
    expect(await principalOf(`${QUERY}&client_id=${identity.clientId}`)).toBe(identity.principalId);
    expect(await principalOf(`${QUERY}&principal_id=${identity.principalId}`)).toBe(identity.principalId);
    expect(await principalOf(`${QUERY}&object_id=${identity.principalId}`)).toBe(identity.principalId);
    expect(await principalOf(`${QUERY}&mi_res_id=${encodeURIComponent(identity.id)}`)).toBe(identity.principalId);
  });

  test('never takes a user-assigned identity that was not named', async () => {
    const type = 'Microsoft.Web/sites';
    const plain = simulator.addResource({ type, name: 'plain', userAssigned: [identity] });
    const reply = await ask(QUERY, await simulator.metadataService(plain));
    expect([reply.status, reply.json()['message']]).toEqual([400, 'Unable to load the proper Managed Identity.']);
  });

  test.each<[string, number, string, RequestOptions]>([
    ['no secret', 401, QUERY, { headers: {} }],
    ['a wrong secret', 401, QUERY, { headers: { 'x-identity-header': 'canary-guess' } }],
    ['the header of another service', 401, QUERY, { headers: { metadata: 'true' } }],
    ['another version', 400, QUERY.replace('2019-08-01', '2018-02-01'), {}],
    ['no version', 400, '?resource=x', {}],
    ['no resource', 400, '?api-version=2019-08-01', {}],
    ['an identity that it does not have', 400, `${QUERY}&client_id=nobody`, {}],
    ['another path', 404, `/more${QUERY}`, {}],
  ])('refuses %s', async (_what, status, query, options) => {
    const reply = await ask(query, service, options);
    expect([reply.status, reply.json()['statusCode']]).toEqual([status, status]);
    expect(reply.text).not.toContain('access_token');
  });

  test('refuses another method', async () => {
    const headers = { 'x-identity-header': service.env['IDENTITY_HEADER']! };
    expect((await ask(QUERY, service, { method: 'POST', headers })).status).toBe(405);
  });

  test('takes the secret of its own app only', async () => {
    const other = await simulator.metadataService(app);
    const headers = { 'x-identity-header': other.env['IDENTITY_HEADER']! };
    expect((await ask(QUERY, service, { headers })).status).toBe(401);
  });

  test('ends with the app', async () => {
    const doomed = simulator.addResource({ type: 'Microsoft.Web/sites', name: 'doomed', systemAssigned: true });
    const its = await simulator.metadataService(doomed);
    simulator.removeResource(doomed);
    expect((await ask(QUERY, its)).status).toBe(404);
  });
});

describe('the environment', () => {
  const namesIn = async (type: string, name: string): Promise<Record<string, string>> => {
    const { env } = await simulator.metadataService(simulator.addResource({ type, name, systemAssigned: true }));
    return Object.fromEntries(Object.entries(env).filter(([variable]) => variable.startsWith('WEBSITE_')));
  };

  test('of an app says where it is', async () => {
    expect(await namesIn('Microsoft.Web/sites', 'where')).toEqual({
      WEBSITE_OWNER_NAME: `${simulator.subscriptionId}+group-westeuropewebspace-Linux`,
      WEBSITE_RESOURCE_GROUP: 'group',
      WEBSITE_SITE_NAME: 'where',
      WEBSITE_SLOT_NAME: 'Production',
    });
  });

  test('of a slot says which', async () => {
    expect(await namesIn('Microsoft.Web/sites/slots', 'where/staging')).toMatchObject({
      WEBSITE_SITE_NAME: 'where',
      WEBSITE_SLOT_NAME: 'staging',
    });
  });

  test('of a container app does not say', async () => {
    expect(await namesIn('Microsoft.App/containerApps', 'where')).toEqual({});
  });
});
