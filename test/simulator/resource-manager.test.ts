import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { generateKeyPairSync } from 'node:crypto';
import { SignJWT, decodeJwt } from 'jose';
import { startSimulator } from '../../src/simulator/index.js';
import type { Simulator } from '../../src/simulator/index.js';
import { ask, resourceManagerToken } from './support.js';
import type { Reply } from './support.js';

const ARM = 'https://management.azure.com';
let simulator: Simulator;
let token: string;

beforeAll(async () => {
  simulator = await startSimulator({ pageSize: 2 });
  token = await resourceManagerToken(simulator, simulator.addApplication());
});

afterAll(() => simulator.close());

function get(path: string, bearer = token): Promise<Reply> {
  return ask(simulator, path, { headers: { authorization: `Bearer ${bearer}` } });
}

/** Path of a machine, or with an empty name of the list of all. */
function machinePath(name: string, place: { subscription?: string; group?: string } = {}): string {
  const { subscription = simulator.subscriptionId, group = 'group' } = place;
  const scope = `/subscriptions/${subscription}/resourceGroups/${group}`;
  return `${scope}/providers/Microsoft.Compute/virtualMachines${name && `/${name}`}?api-version=2024-07-01`;
}

function expectFailure(reply: Reply, status: number, code: string): void {
  expect({ status: reply.status, error: reply.json()['error'] }).toEqual({
    status,
    error: { code, message: expect.any(String) },
  });
}

describe('reading a resource', () => {
  test('ignores case everywhere and answers in the spelling it was made with', async () => {
    const machine = simulator.addVirtualMachine({ name: 'Web-1', resourceGroup: 'Group-1' });
    const reply = await get(
      machinePath('WEB-1', { group: 'gROUP-1' }).replace('Microsoft.Compute', 'microsoft.compute'),
    );
    expect(reply.json()).toMatchObject({ id: machine.id, name: 'Web-1', type: 'Microsoft.Compute/virtualMachines' });
  });

  test('understands encoded names', async () => {
    simulator.addVirtualMachine({ name: 'web', resourceGroup: 'gruppe-(ä)' });
    expect((await get(machinePath('web', { group: encodeURIComponent('gruppe-(ä)') }))).status).toBe(200);
  });

  test('leaves out principal ids on request, and the identity where there is none', async () => {
    const userAssigned = [simulator.addUserAssignedIdentity({ name: 'shared' })];
    simulator.addVirtualMachine({ name: 'bare' });
    simulator.addVirtualMachine({ name: 'silent', systemAssigned: true, userAssigned, omitPrincipalIds: true });
    expect((await get(machinePath('bare'))).json()).not.toHaveProperty('identity');
    const silent = await get(machinePath('silent'));
    expect(silent.json()['identity']).toMatchObject({ type: 'SystemAssigned, UserAssigned' });
    expect(silent.text).not.toContain('principalId');
  });

  test('follows updates and removals', async () => {
    const machine = simulator.addVirtualMachine({ name: 'changing', systemAssigned: true });
    const updated = simulator.updateVirtualMachine(machine, { location: 'eastus' });
    expect(updated.systemAssigned).toEqual(machine.systemAssigned);
    expect((await get(machinePath('changing'))).json()).toMatchObject({
      location: 'eastus',
      identity: { type: 'SystemAssigned', principalId: machine.systemAssigned!.principalId },
    });
    simulator.updateVirtualMachine(machine, { systemAssigned: false });
    expect((await get(machinePath('changing'))).json()).not.toHaveProperty('identity');
    simulator.removeVirtualMachine(machine);
    expectFailure(await get(machinePath('changing')), 404, 'ResourceNotFound');
    expect(() => simulator.updateVirtualMachine(machine, {})).toThrow('there is no machine');
  });

  test.each<[string, () => string, number, string]>([
    ['an unknown machine', () => machinePath('nobody'), 404, 'ResourceNotFound'],
    ['an unknown group', () => machinePath('web', { group: 'nowhere' }), 404, 'ResourceGroupNotFound'],
    [
      'an unknown subscription',
      () => machinePath('web', { subscription: '00000000-0000-0000-0000-000000000000' }),
      404,
      'SubscriptionNotFound',
    ],
    ['a malformed subscription', () => machinePath('web', { subscription: 'mine' }), 400, 'InvalidSubscriptionId'],
    ['a missing api-version', () => machinePath('web').replace(/\?.*/, ''), 400, 'MissingApiVersionParameter'],
    ['a malformed api-version', () => `${machinePath('web')}x`, 400, 'InvalidApiVersionParameter'],
    ['no resource', () => '/subscriptions?api-version=2024-07-01', 404, 'InvalidRequestUri'],
    ['encoded slashes', () => machinePath('web%2Fextensions%2Fx'), 404, 'InvalidRequestUri'],
    ['undecodable names', () => machinePath('%E4%'), 404, 'ResourceNotFound'],
  ])('refuses %s', async (_what, path, status, code) => {
    expectFailure(await get(path()), status, code);
  });

  test('serves nothing but reads', async () => {
    const headers = { authorization: `Bearer ${token}` };
    expectFailure(await ask(simulator, machinePath('web'), { method: 'DELETE', headers }), 405, 'MethodNotAllowed');
  });
});

describe('listing', () => {
  test('goes from page to page in the order of creation', async () => {
    for (const name of ['a', 'b', 'c']) simulator.addVirtualMachine({ name, resourceGroup: 'list' });
    simulator.addUserAssignedIdentity({ name: 'other', resourceGroup: 'list' });
    const first = (await get(machinePath('', { group: 'LIST' }))).json();
    expect(first['value']).toMatchObject([{ name: 'a' }, { name: 'b' }]);
    const nextLink = String(first['nextLink']);
    expect(nextLink.startsWith(simulator.url)).toBe(true);
    const second = (await get(nextLink.slice(simulator.url.length))).json();
    expect(second).toEqual({ value: [expect.objectContaining({ name: 'c' })] });
  });

  test('refuses a skip token that it did not give', async () => {
    expectFailure(await get(`${machinePath('')}&$skiptoken=-1`), 400, 'InvalidSkipToken');
  });
});

describe('permissions', () => {
  test('are per application and resource', async () => {
    simulator.addVirtualMachine({ name: 'open' });
    simulator.addVirtualMachine({ name: 'closed' });
    const application = simulator.addApplication({
      mayRead: (scope, action) =>
        action === 'Microsoft.Compute/virtualMachines/read' && scope.toLowerCase().endsWith('/open'),
    });
    const limited = await resourceManagerToken(simulator, application);
    expect((await get(machinePath('open'), limited)).status).toBe(200);
    expectFailure(await get(machinePath('closed'), limited), 403, 'AuthorizationFailed');
    expectFailure(await get(machinePath('unknown'), limited), 403, 'AuthorizationFailed');
    expectFailure(await get(machinePath(''), limited), 403, 'AuthorizationFailed');
  });

  test('let a machine in with the token of its identity', async () => {
    const machine = simulator.addVirtualMachine({ name: 'self', systemAssigned: true });
    expect((await get(machinePath('self'), await simulator.tokenFor(machine, { resource: ARM }))).status).toBe(200);
  });
});

describe('bearer tokens', () => {
  const forged = (overrides: Record<string, unknown>): Promise<string> =>
    simulator.tokenFor(simulator.addVirtualMachine({ name: 'forger', systemAssigned: true }), {
      resource: ARM,
      overrides,
    });

  test.each<[string, () => Promise<string>, string]>([
    ['of another audience', () => forged({ aud: 'https://graph.microsoft.com' }), 'InvalidAuthenticationTokenAudience'],
    ['of another issuer', () => forged({ iss: 'https://example.com/' }), 'InvalidAuthenticationTokenTenant'],
    ['that has expired', () => forged({ exp: 1 }), 'ExpiredAuthenticationToken'],
    ['that is nonsense', () => Promise.resolve('nonsense'), 'InvalidAuthenticationToken'],
    [
      'signed with an unpublished key',
      () =>
        new SignJWT(decodeJwt(token))
          .setProtectedHeader({ alg: 'RS256', kid: simulator.signingKeys[0]!.kid })
          .sign(generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey),
      'InvalidAuthenticationToken',
    ],
  ])('%s are refused', async (_what, bearer, code) => {
    const reply = await get(machinePath('web'), await bearer());
    expectFailure(reply, 401, code);
    expect(reply.headers['www-authenticate']).toContain(`/${simulator.tenantId}", error="invalid_token"`);
  });

  test('are required', async () => {
    expectFailure(await ask(simulator, machinePath('web')), 401, 'AuthenticationFailed');
    const headers = { authorization: 'Basic eDp5' };
    expectFailure(await ask(simulator, machinePath('web'), { headers }), 401, 'AuthenticationFailedInvalidHeader');
  });
});

describe('revoked tokens', () => {
  test('are refused, and new ones are not', async () => {
    const machine = simulator.addVirtualMachine({ name: 'revoked', systemAssigned: true });
    const before = await simulator.tokenFor(machine, { resource: ARM });
    expect((await get(machinePath('revoked'), before)).status).toBe(200);
    simulator.revokeTokens();
    expectFailure(await get(machinePath('revoked'), before), 401, 'InvalidAuthenticationToken');
    const after = await simulator.tokenFor(machine, { resource: ARM });
    expect((await get(machinePath('revoked'), after)).status).toBe(200);
    simulator.revokeTokens();
    expectFailure(await get(machinePath('revoked'), before), 401, 'InvalidAuthenticationToken');
    expectFailure(await get(machinePath('revoked'), after), 401, 'InvalidAuthenticationToken');
  });
});
