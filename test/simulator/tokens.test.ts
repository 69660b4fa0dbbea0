import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { decodeJwt, decodeProtectedHeader, jwtVerify } from 'jose';
import { startSimulator } from '../../src/simulator/index.js';
import type { Simulator } from '../../src/simulator/index.js';
import { ManualClock } from '../support/clock.js';

const resource = 'https://vault.example.com';
const clock = new ManualClock();
let simulator: Simulator;

beforeAll(async () => {
  simulator = await startSimulator({ now: () => clock.now() });
});

afterAll(() => simulator.close());

describe("a machine's token", () => {
  test('of version 1 says what the provider says', async () => {
    const machine = simulator.addVirtualMachine({ name: 'web', systemAssigned: true });
    const now = clock.now() / 1000;
    const claims = decodeJwt(await simulator.tokenFor(machine, { resource }));
    expect(claims).toMatchObject({
      aud: resource,
      iss: `https://sts.windows.net/${simulator.tenantId}/`,
      iat: now - 300,
      nbf: now - 300,
      exp: now + 86_400,
      appid: machine.systemAssigned!.clientId,
      idtyp: 'app',
      oid: machine.systemAssigned!.principalId,
      sub: machine.systemAssigned!.principalId,
      tid: simulator.tenantId,
      ver: '1.0',
      xms_mirid: `/subscriptions/${simulator.subscriptionId}/resourcegroups/group/providers/Microsoft.Compute/virtualMachines/web`,
    });
    expect(claims).not.toHaveProperty('azp');
    expect(claims['uti']).not.toBe(decodeJwt(await simulator.tokenFor(machine, { resource }))['uti']);
  });

  test('of version 2 names the application and issuer its own way', async () => {
    const machine = simulator.addVirtualMachine({ systemAssigned: true });
    const claims = decodeJwt(await simulator.tokenFor(machine, { resource, version: 2 }));
    expect(claims).toMatchObject({
      iss: `${simulator.url}/${simulator.tenantId}/v2.0`,
      azp: machine.systemAssigned!.clientId,
      ver: '2.0',
    });
    expect(claims).not.toHaveProperty('appid');
  });

  test('for an attached identity names both the identity and the machine', async () => {
    const identity = simulator.addUserAssignedIdentity({ name: 'shared' });
    const machine = simulator.addVirtualMachine({ name: 'web', userAssigned: [identity] });
    expect(decodeJwt(await simulator.tokenFor(machine, { resource }))).toMatchObject({
      oid: identity.principalId,
      xms_mirid: expect.stringMatching(/\/userAssignedIdentities\/shared$/),
      xms_az_rid: expect.stringMatching(/\/virtualMachines\/web$/),
    });
  });

  test('can be bent: claims overridden, left out, or all made up', async () => {
    const machine = simulator.addVirtualMachine({ systemAssigned: true });
    const overrides = { exp: 'tomorrow', groups: ['g'] };
    const bent = await simulator.tokenFor(machine, { resource, overrides, omit: ['oid', 'xms_az_rid'] });
    expect(decodeJwt(bent)).toMatchObject(overrides);
    expect(decodeJwt(bent)).not.toHaveProperty('oid');
    expect(decodeJwt(bent)).not.toHaveProperty('xms_az_rid');

    const madeUp = await simulator.issueToken({ any: 'thing' }, { jku: 'https://example.com' });
    expect(decodeJwt(madeUp)).toEqual({ any: 'thing' });
    expect(decodeProtectedHeader(madeUp)).toMatchObject({ alg: 'RS256', jku: 'https://example.com' });
    await jwtVerify(madeUp, simulator.signingKeys[0]!.publicKey);
  });

  test('is not to be had without a choice of identity', async () => {
    const identities = ['a', 'b'].map((name) => simulator.addUserAssignedIdentity({ name }));
    const machine = simulator.addVirtualMachine({ name: 'web', userAssigned: identities });
    await expect(simulator.tokenFor(machine, { resource })).rejects.toThrow('choose one of the identities of web');
    await expect(simulator.tokenFor(machine, { resource, identity: 'system' })).rejects.toThrow('choose one');
  });
});

describe('groups', () => {
  const groupClaims = async (groups: readonly string[] | 'overage' | 'hasgroups'): Promise<Record<string, unknown>> =>
    decodeJwt(await simulator.tokenFor(simulator.addVirtualMachine({ systemAssigned: true }), { resource, groups }));

  test('are listed', async () => {
    expect(await groupClaims(['a', 'b'])).toMatchObject({ groups: ['a', 'b'] });
  });

  test('that are too many are referred to', async () => {
    const claims = await groupClaims('overage');
    expect(claims).toMatchObject({
      _claim_names: { groups: 'src1' },
      _claim_sources: { src1: { endpoint: expect.stringContaining(`/${String(claims['oid'])}/getMemberObjects`) } },
    });
    expect(claims).not.toHaveProperty('groups');
  });

  test('that are too many may only be said to exist', async () => {
    const claims = await groupClaims('hasgroups');
    expect(claims).toMatchObject({ hasgroups: true });
    expect(claims).not.toHaveProperty('groups');
  });
});

describe("a workload's token", () => {
  test('of an application names the application and no resource', async () => {
    const application = simulator.addApplication();
    const claims = decodeJwt(await simulator.applicationToken(application, { resource, version: 2 }));
    expect(claims).toMatchObject({
      aud: resource,
      azp: application.clientId,
      oid: application.principalId,
      azpacr: '1',
    });
    expect(Object.keys(claims).filter((name) => name.startsWith('xms_'))).toEqual([]);
  });

  test('of a federated pod names the identity that it uses and no resource that asked', async () => {
    const identity = simulator.addUserAssignedIdentity({ name: 'pod' });
    const claims = decodeJwt(
      await simulator.identityToken(identity, { resource, overrides: { extra: 1 }, omit: ['uti'] }),
    );
    expect(claims).toMatchObject({
      appid: identity.clientId,
      oid: identity.principalId,
      extra: 1,
      xms_mirid: expect.stringMatching(/\/resourcegroups\/group\/.*\/userAssignedIdentities\/pod$/),
    });
    expect(claims).not.toHaveProperty('xms_az_rid');
    expect(claims).not.toHaveProperty('uti');
  });
});
