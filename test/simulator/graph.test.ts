import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import type { Client } from '@microsoft/microsoft-graph-client';
import { startSimulator } from '../../src/simulator/index.js';
import type { Application, Simulator } from '../../src/simulator/index.js';
import { ask, graphClient, postForm } from './support.js';
import type { Reply } from './support.js';

let simulator: Simulator;
let application: Application;

beforeAll(async () => {
  simulator = await startSimulator();
  application = simulator.addApplication();
});

afterAll(() => simulator.close());

const graph = (reader = application): Client => graphClient(simulator, reader);

async function check(path: string, groupIds: readonly string[]): Promise<unknown> {
  const answer = (await graph().api(`/${path}/checkMemberGroups`).post({ groupIds })) as { value: unknown };
  return answer.value;
}

describe('checking groups', () => {
  test('finds those that the principal is in, directly or through others, among those asked for', async () => {
    const machine = simulator.addVirtualMachine({ name: 'member', systemAssigned: true });
    const direct = simulator.addGroup({ members: [machine.systemAssigned!] });
    const outer = simulator.addGroup({ members: [simulator.addGroup({ members: [direct] })] });
    const other = simulator.addGroup({ members: [randomUUID()] });
    const asked = [other.id, outer.id, randomUUID(), direct.id.toUpperCase()];
    const path = `servicePrincipals/${machine.systemAssigned!.principalId.toUpperCase()}`;
    expect(await check(path, asked)).toEqual([outer.id, direct.id.toUpperCase()]);
    simulator.removeGroup(direct);
    expect(await check(path, asked)).toEqual([]);
  });

  test('ends where groups are members of each other', async () => {
    const [a, b] = [randomUUID(), randomUUID()];
    simulator.addGroup({ id: a, members: [b, application] });
    simulator.addGroup({ id: b, members: [a] });
    expect(await check(`servicePrincipals/${application.principalId}`, [a, b])).toEqual([a, b]);
  });

  test.each(['virtual machine', 'user-assigned identity', 'application', 'scale set', 'web app'])(
    'knows the principal of a %s',
    async (kind) => {
      const principals: Record<string, string> = {
        'virtual machine': simulator.addVirtualMachine({ systemAssigned: true }).systemAssigned!.principalId,
        'user-assigned identity': simulator.addUserAssignedIdentity().principalId,
        application: application.principalId,
        'scale set': simulator.addScaleSet({ systemAssigned: true }).systemAssigned!.principalId,
        'web app': simulator.addResource({ type: 'Microsoft.Web/sites', name: 'app', systemAssigned: true })
          .systemAssigned!.principalId,
      };
      expect(await check(`servicePrincipals/${principals[kind]!}`, [randomUUID()])).toEqual([]);
      expect(await check(`directoryObjects/${principals[kind]!}`, [randomUUID()])).toEqual([]);
      const asUser = check(`users/${principals[kind]!}`, [randomUUID()]);
      await expect(asUser).rejects.toMatchObject({ statusCode: 404, code: 'Request_ResourceNotFound' });
    },
  );

  test('knows users by the groups that they are in', async () => {
    const user = randomUUID();
    const { id } = simulator.addGroup({ members: [user] });
    expect(await check(`users/${user}`, [id])).toEqual([id]);
    expect(await check(`directoryObjects/${user}`, [id])).toEqual([id]);
    await expect(check(`servicePrincipals/${user}`, [id])).rejects.toMatchObject({ statusCode: 404 });
  });

  test('no longer knows the principal of what was removed', async () => {
    const identity = simulator.addUserAssignedIdentity({ name: 'removed' });
    simulator.removeUserAssignedIdentity(identity);
    const checked = check(`directoryObjects/${identity.principalId}`, []);
    await expect(checked).rejects.toMatchObject({ statusCode: 404, code: 'Request_ResourceNotFound' });
  });

  test('takes 20 groups and not 21', async () => {
    const ids = Array.from({ length: 20 }, () => randomUUID());
    const path = `servicePrincipals/${application.principalId}`;
    expect(await check(path, ids)).toEqual([]);
    const refusal = { statusCode: 400, code: 'Request_BadRequest' };
    await expect(check(path, [...ids, randomUUID()])).rejects.toMatchObject(refusal);
  });

  test('may be forbidden to an application', async () => {
    const limited = simulator.addApplication({ mayRead: (_scope, action) => action !== 'checkMemberGroups' });
    const checked = graph(limited)
      .api(`/directoryObjects/${application.principalId}/checkMemberGroups`)
      .post({ groupIds: [] });
    await expect(checked).rejects.toMatchObject({ statusCode: 403, code: 'Authorization_RequestDenied' });
  });
});

describe('requests', () => {
  async function raw(bearer: string, options: { path?: string; method?: string; body?: string } = {}): Promise<Reply> {
    const { path = `directoryObjects/${application.principalId}/checkMemberGroups`, method = 'POST' } = options;
    const headers = { authorization: `Bearer ${bearer}` };
    return ask(simulator, `/v1.0/${path}`, { method, headers, body: options.body ?? '{"groupIds":[]}' });
  }

  test.each([
    ['without ids', '{}'],
    ['with ids that are no strings', '{"groupIds":[1]}'],
    ['with ids that are none', '{"groupIds":["admins"]}'],
    ['that are not JSON', 'groupIds'],
  ])('%s are refused', async (_what, body) => {
    const token = await simulator.applicationToken(application, { resource: 'https://graph.microsoft.com' });
    const reply = await raw(token, { body });
    expect([reply.status, reply.json()]).toMatchObject([400, { error: { code: 'Request_BadRequest' } }]);
  });

  test('for anything else are refused', async () => {
    const token = await simulator.applicationToken(application, { resource: 'https://graph.microsoft.com' });
    expect((await raw(token, { path: 'devices' })).status).toBe(400);
    expect((await raw(token, { method: 'PUT' })).status).toBe(405);
  });

  test('with tokens for the resource manager are refused', async () => {
    const token = await simulator.applicationToken(application, { resource: 'https://management.azure.com' });
    const reply = await raw(token);
    expect([reply.status, reply.json()]).toMatchObject([401, { error: { code: 'InvalidAuthenticationToken' } }]);
  });

  test.each(['https://graph.microsoft.com', 'the simulator itself'])('get in with a token for %s', async (name) => {
    const audience = name.startsWith('https:') ? name : simulator.url;
    const reply = await postForm(simulator, `/${simulator.tenantId}/oauth2/v2.0/token`, {
      grant_type: 'client_credentials',
      client_id: application.clientId,
      client_secret: application.clientSecret,
      scope: `${audience}/.default`,
    });
    expect((await raw(String(reply.json()['access_token']))).status).toBe(200);
  });
});
