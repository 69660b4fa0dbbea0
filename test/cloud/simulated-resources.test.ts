import { setMaxListeners } from 'node:events';
import { randomUUID } from 'node:crypto';
import { inspect } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { cachedLookups, createCloudLookups } from '../../src/cloud/index.js';
import { AuthMethodError } from '../../src/contract/index.js';
import type { CloudConfiguration, CloudLookups, OutboundTransport } from '../../src/contract/index.js';
import { startSimulator } from '../../src/simulator/index.js';
import type { Application, Fault, Simulator } from '../../src/simulator/index.js';
import { createTransport } from '../../src/transport/index.js';
import { recordingLogger } from '../support/logger.js';
import { SYSTEM_CLOCK } from './fakes.js';

let cloud: Simulator;
let application: Application;
let transport: OutboundTransport;
let lookups: CloudLookups;
const logger = recordingLogger();
const faults: { remove(): void }[] = [];

beforeAll(async () => {
  cloud = await startSimulator({ pageSize: 2 });
  application = cloud.addApplication({});
  transport = createTransport({ userAgent: 'cloud-identity-auth/test', maxBodyBytes: 256 * 1024 });
  lookups = createCloudLookups({ transport, clock: SYSTEM_CLOCK, logger });
});

afterEach(() => {
  for (const fault of faults.splice(0)) fault.remove();
  cloud.resetCalls();
  logger.lines.splice(0);
});

afterAll(async () => {
  await transport.close();
  await cloud.close();
});

function configuration(changes: Partial<CloudConfiguration> = {}): CloudConfiguration {
  const { clientId, clientSecret } = application;
  const retries = { maxAttempts: 2, retryDelay: 0.01, maxRetryDelay: 0.02 };
  const { tenantId, environment } = cloud;
  return { tenantId, resource: 'api://service', environment, clientId, clientSecret, ...retries, ...changes };
}

const patience = (): AbortSignal => AbortSignal.timeout(15_000);
const breakDown = (fault: Fault): void => void faults.push(cloud.fail(fault));
const pathsOf = (service: 'resource-manager' | 'graph'): string[] =>
  cloud.calls({ service }).map(({ path }) => path.replace(/\?.*/, ''));

describe('a scale set', () => {
  test.each(['uniform', 'flexible'] as const)('of %s orchestration is found', async (orchestration) => {
    const userAssigned = [cloud.addUserAssignedIdentity({ name: `of-${orchestration}` })];
    const scaleSet = cloud.addScaleSet({
      name: `set-${orchestration}`,
      orchestration,
      systemAssigned: true,
      userAssigned,
    });
    expect(await lookups.scaleSet(scaleSet, configuration(), patience())).toEqual({
      id: scaleSet.id,
      location: scaleSet.location,
      systemPrincipalId: scaleSet.systemAssigned!.principalId,
      userAssigned: userAssigned.map(({ id, principalId }) => ({ id, principalId })),
      orchestration,
    });
  });

  test('may not be there', async () => {
    const missing = { ...cloud.addScaleSet({}), name: 'missing' };
    expect(await lookups.scaleSet(missing, configuration(), patience())).toBeUndefined();
  });
});

describe('a resource', () => {
  test.each([
    ['Microsoft.Web/sites', 'shop'],
    ['Microsoft.Web/sites/slots', 'shop/test'],
    ['Microsoft.ContainerInstance/containerGroups', 'jobs'],
    ['Microsoft.HybridCompute/machines', 'rack-1'],
    ['Contoso.Odd/things', 'thing'],
  ])('of type %s is found', async (type, name) => {
    const resource = cloud.addResource({ type, name, systemAssigned: true });
    const reference = { ...resource, type: type.toUpperCase(), names: name.split('/') };
    expect(await lookups.resource(reference, configuration(), patience())).toEqual({
      id: resource.id,
      location: resource.location,
      systemPrincipalId: resource.systemAssigned!.principalId,
      userAssigned: [],
    });
  });

  test.each([
    ['resource', { names: ['missing'] }],
    ['type', { type: 'Microsoft.Web/unknown' }],
    ['namespace', { type: 'Contoso.Unknown/things' }],
    ['group', { resourceGroup: 'missing' }],
    ['subscription', { subscriptionId: randomUUID() }],
  ])('is not there when its %s is not', async (_, part) => {
    const site = cloud.addResource({ type: 'Microsoft.Web/sites', name: 'here' });
    const reference = { ...site, type: 'Microsoft.Web/sites', names: ['here'], ...part };
    expect(await lookups.resource(reference, configuration(), patience())).toBeUndefined();
  });

  test('is read in another version once its own is refused', async () => {
    const type = 'Contoso.Moving/things';
    const resource = { ...cloud.addResource({ type, name: 'one' }), type, names: ['one'] };
    const settings = configuration();
    await lookups.resource(resource, settings, patience());
    cloud.setApiVersions(type, ['2026-01-01']);
    expect(await lookups.resource(resource, settings, patience())).toMatchObject({ id: resource.id });
    expect(pathsOf('resource-manager').filter((path) => path.endsWith('/providers/Contoso.Moving'))).toHaveLength(2);
  });

  test('that may not be read is a gap in the configuration', async () => {
    const { clientId, clientSecret } = cloud.addApplication({ mayRead: (id) => !id.includes('/sites/') });
    const type = 'Microsoft.Web/sites';
    const site = { ...cloud.addResource({ type, name: 'secret' }), type, names: ['secret'] };
    const found = lookups.resource(site, configuration({ clientId, clientSecret }), patience());
    await expect(found).rejects.toMatchObject({ code: 'not_configured' });
  });
});

describe('the identities of a group', () => {
  test('come from all pages', async () => {
    const resourceGroup = 'many-identities';
    const identities = ['a', 'b', 'c', 'd', 'e'].map((name) => cloud.addUserAssignedIdentity({ name, resourceGroup }));
    const { subscriptionId } = cloud;
    const found = await lookups.userAssignedIdentities({ subscriptionId, resourceGroup }, configuration(), patience());
    expect(found).toEqual(
      identities.map(({ id, location, clientId, principalId }) => ({ id, location, clientId, principalId })),
    );
    expect(pathsOf('resource-manager')).toHaveLength(3);
  });

  test('are none in a group that is not there', async () => {
    const reference = { subscriptionId: cloud.subscriptionId, resourceGroup: 'no-such-group' };
    expect(await lookups.userAssignedIdentities(reference, configuration(), patience())).toBeUndefined();
  });
});

describe('group memberships', () => {
  test('are found, directly and through groups, over several calls', async () => {
    const { principalId } = cloud.addUserAssignedIdentity({ name: 'member' });
    const inner = cloud.addGroup({ members: [principalId] });
    const outer = cloud.addGroup({ members: [inner] });
    const others = Array.from({ length: 40 }, () => cloud.addGroup({}).id);
    const ids = [...others, inner.id, outer.id];
    expect(await lookups.memberGroups(principalId, ids, configuration(), patience())).toEqual([inner.id, outer.id]);
    expect(pathsOf('graph')).toHaveLength(3);
  });

  test('of nobody are none', async () => {
    expect(await lookups.memberGroups(randomUUID(), [cloud.addGroup({}).id], configuration(), patience())).toEqual([]);
  });
});

describe('tokens that are revoked early', () => {
  test('are replaced, as often as that happens', async () => {
    const settings = configuration();
    const machine = cloud.addVirtualMachine({ name: 'revoked' });
    const { principalId } = cloud.addUserAssignedIdentity({ name: 'revoked' });
    const group = cloud.addGroup({ members: [principalId] });
    for (let round = 0; round < 3; round++) {
      expect(await lookups.virtualMachine(machine, settings, patience())).toMatchObject({ id: machine.id });
      expect(await lookups.memberGroups(principalId, [group.id], settings, patience())).toEqual([group.id]);
      cloud.revokeTokens();
    }
    expect(cloud.calls({ service: 'authority' })).toHaveLength(6);
  });
});

describe('an outage', () => {
  const FAULTS: [string, Fault][] = [
    ['status 429', { status: 429 }],
    ['status 500', { status: 500, body: 'canary-stack-trace' }],
    ['resets', { reset: true }],
    ['bytes that are not HTTP', { garbage: true }],
    ['an empty answer', { status: 200 }],
    ['a web page', { body: '<html>canary-page</html>' }],
    ['too many bytes', { body: 'x'.repeat(300_000) }],
    ['a redirect', { status: 307, headers: { location: 'https://127.0.0.1:1/canary-elsewhere' } }],
  ];

  test.each(FAULTS)('with %s is told as one, in our words, whatever was asked', async (_, fault) => {
    const settings = configuration();
    const machine = cloud.addVirtualMachine({});
    const { principalId } = cloud.addUserAssignedIdentity({});
    const site = { ...machine, type: 'Microsoft.Web/sites', names: ['x'] };
    breakDown({ service: 'resource-manager', ...fault });
    breakDown({ service: 'graph', ...fault });
    const errors: unknown[] = await Promise.all(
      [
        lookups.scaleSet(machine, settings, patience()),
        lookups.resource(site, settings, patience()),
        lookups.userAssignedIdentities(machine, settings, patience()),
        lookups.memberGroups(principalId, [randomUUID()], settings, patience()),
      ].map((found) => (found as Promise<unknown>).catch((reason: unknown) => reason)),
    );
    for (const error of errors) {
      expect(error).toBeInstanceOf(AuthMethodError);
      expect(error).toMatchObject({ code: 'provider_unavailable', status: 503 });
    }
    expect(inspect([errors, logger.lines], { depth: 12, showHidden: true })).not.toMatch(/canary-|Bearer|eyJ/);
  });

  test.each<[string, Fault]>([
    ['never answers', { hang: true }],
    ['stalls within its answer', { stallBody: true, body: { value: [] } }],
  ])('that %s ends with the deadline of the lookup', async (_, fault) => {
    breakDown({ service: 'resource-manager', ...fault });
    breakDown({ service: 'graph', ...fault });
    const cached = cachedLookups(lookups, { clock: SYSTEM_CLOCK, ttl: 30, timeout: 0.5 });
    const settings = configuration();
    const machine = cloud.addVirtualMachine({});
    const gone = { code: 'provider_unavailable', retryAfter: 1 };
    await expect(cached.scaleSet(machine, settings, patience())).rejects.toMatchObject(gone);
    await expect(cached.memberGroups(randomUUID(), [randomUUID()], settings, patience())).rejects.toMatchObject(gone);
  });

  test('of the directory at a cold start is over as soon as it answers', async () => {
    const settings = configuration();
    const machine = cloud.addVirtualMachine({});
    const cached = cachedLookups(lookups, { clock: SYSTEM_CLOCK, ttl: 30, timeout: 15 });
    breakDown({ service: 'authority', reset: true, times: 2 });
    await expect(cached.virtualMachine(machine, settings, patience())).rejects.toMatchObject({
      code: 'provider_unavailable',
    });
    expect(await cached.virtualMachine(machine, settings, patience())).toMatchObject({ id: machine.id });
  });

  test('of one subscription leaves sockets to the others', async () => {
    const settings = configuration();
    const cached = cachedLookups(lookups, { clock: SYSTEM_CLOCK, ttl: 30, timeout: 15 });
    const stuck = cloud.addVirtualMachine({ name: 'stuck', subscriptionId: randomUUID() });
    breakDown({ service: 'resource-manager', path: new RegExp(stuck.subscriptionId), hang: true });
    const deadline = new AbortController();
    setMaxListeners(0, deadline.signal);
    const waiting = Array.from({ length: 64 }, (_, index) =>
      cached.virtualMachine({ ...stuck, name: `stuck-${index}` }, settings, deadline.signal),
    );
    const machine = cloud.addVirtualMachine({ name: 'served' });
    expect(await cached.virtualMachine(machine, settings, patience())).toMatchObject({ id: machine.id });
    deadline.abort();
    for (const found of waiting) await expect(found).rejects.toMatchObject({ code: 'provider_unavailable' });
  });
});
