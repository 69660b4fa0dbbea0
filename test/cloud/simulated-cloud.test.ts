import { randomUUID } from 'node:crypto';
import { inspect } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { createCloudLookups } from '../../src/cloud/index.js';
import { AuthMethodError } from '../../src/contract/index.js';
import type {
  CloudConfiguration,
  CloudLookups,
  OutboundTransport,
  ResourceReference,
} from '../../src/contract/index.js';
import { startSimulator } from '../../src/simulator/index.js';
import type { Application, Fault, Simulator } from '../../src/simulator/index.js';
import { createTransport } from '../../src/transport/index.js';
import { recordingLogger } from '../support/logger.js';
import { SYSTEM_CLOCK } from './fakes.js';

let cloud: Simulator;
let application: Application;
let transport: OutboundTransport;
let lookups: CloudLookups;
let logger: ReturnType<typeof recordingLogger>;
const faults: { remove(): void }[] = [];

beforeAll(async () => {
  cloud = await startSimulator();
  application = cloud.addApplication({});
  transport = createTransport({ userAgent: 'cloud-identity-auth/test', maxBodyBytes: 64 * 1024 });
  logger = recordingLogger();
  lookups = createCloudLookups({ transport, clock: SYSTEM_CLOCK, logger });
});

afterEach(() => {
  for (const fault of faults.splice(0)) fault.remove();
  cloud.setLatency(0);
  cloud.resetCalls();
  logger.lines.splice(0);
});

afterAll(async () => {
  await lookups.close();
  await transport.close();
  await cloud.close();
});

function configuration(changes: Partial<CloudConfiguration> = {}): CloudConfiguration {
  const { clientId, clientSecret } = application;
  const retries = { maxAttempts: 3, retryDelay: 0.01, maxRetryDelay: 0.02 };
  const { tenantId, environment } = cloud;
  return { tenantId, resource: 'api://service', environment, clientId, clientSecret, ...retries, ...changes };
}

function breakDown(fault: Fault): void {
  faults.push(cloud.fail(fault));
}

const patience = (): AbortSignal => AbortSignal.timeout(15_000);
const tokenCalls = (): number => cloud.calls({ service: 'authority' }).length;
const resourceCalls = (): number => cloud.calls({ service: 'resource-manager' }).length;

/** Waits until a lookup has got as far as the resource manager. */
async function resourceManagerReached(): Promise<void> {
  const giveUp = AbortSignal.timeout(10_000);
  while (resourceCalls() === 0) {
    giveUp.throwIfAborted();
    await new Promise(setImmediate);
  }
}

/** How the lookup of a machine fails, after a look for what must not be told. */
async function failureOf(
  settings = configuration(),
  machine: ResourceReference = cloud.addVirtualMachine({}),
  signal = patience(),
): Promise<AuthMethodError> {
  const error: unknown = await lookups.virtualMachine(machine, settings, signal).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(AuthMethodError);
  const told = inspect([error, logger.lines], { depth: 12, showHidden: true });
  expect(told).not.toMatch(/canary-|AADSTS\d+:|Bearer|eyJ|does not have authorization/);
  return error as AuthMethodError;
}

describe('virtual machine', () => {
  test('is found with its system identity, whatever the case of its name', async () => {
    const machine = cloud.addVirtualMachine({ name: 'Web-1', systemAssigned: true, location: 'northeurope' });
    const reference = { ...machine, name: 'WEB-1', resourceGroup: machine.resourceGroup.toUpperCase() };
    expect(await lookups.virtualMachine(reference, configuration(), patience())).toEqual({
      id: machine.id,
      location: 'northeurope',
      systemPrincipalId: machine.systemAssigned!.principalId,
      userAssigned: [],
    });
  });

  test('is found with the identities attached to it', async () => {
    const userAssigned = ['one', 'two'].map((name) => cloud.addUserAssignedIdentity({ name }));
    const machine = cloud.addVirtualMachine({ name: 'shared', userAssigned });
    expect(await lookups.virtualMachine(machine, configuration(), patience())).toEqual({
      id: machine.id,
      location: machine.location,
      userAssigned: userAssigned.map(({ id, principalId }) => ({ id, principalId })),
    });
  });

  test('may come without principal ids', async () => {
    const identity = cloud.addUserAssignedIdentity({ name: 'quiet' });
    const options = { name: 'quiet', systemAssigned: true, userAssigned: [identity], omitPrincipalIds: true };
    const machine = cloud.addVirtualMachine(options);
    expect(await lookups.virtualMachine(machine, configuration(), patience())).toEqual({
      id: machine.id,
      location: machine.location,
      userAssigned: [{ id: identity.id }],
    });
  });

  test.each([
    ['machine', { name: 'missing' }],
    ['resource group', { resourceGroup: 'missing' }],
    ['subscription', { subscriptionId: randomUUID() }],
  ])('is not there when its %s is not', async (_, part) => {
    const reference = { ...cloud.addVirtualMachine({}), ...part };
    expect(await lookups.virtualMachine(reference, configuration(), patience())).toBeUndefined();
    expect(resourceCalls()).toBe(1);
    expect(logger.lines).toEqual([]);
  });

  test("is asked for under the plugin's name", async () => {
    await lookups.virtualMachine(cloud.addVirtualMachine({}), configuration(), patience());
    const agents = cloud.calls().map(({ headers }) => headers['user-agent']);
    expect(agents).toEqual(['cloud-identity-auth/test', 'cloud-identity-auth/test']);
  });
});

describe('user-assigned identity', () => {
  test('is found by name', async () => {
    const identity = cloud.addUserAssignedIdentity({ name: 'builder' });
    expect(await lookups.userAssignedIdentity(identity, configuration(), patience())).toBe(identity.principalId);
  });

  test('may not be there', async () => {
    const reference = { ...cloud.addUserAssignedIdentity({}), name: 'missing' };
    expect(await lookups.userAssignedIdentity(reference, configuration(), patience())).toBeUndefined();
  });
});

describe('credentials', () => {
  test('with a wrong secret are refused at once', async () => {
    const error = await failureOf(configuration({ clientSecret: 'canary-wrong' }));
    expect(error).toMatchObject({ code: 'not_configured', status: 400 });
    expect(tokenCalls()).toBe(1);
    expect(resourceCalls()).toBe(0);
    expect(logger.lines).toMatchObject([{ level: 'warn', fields: { status: 401, number: 7000215 } }]);
  });

  test('of an unknown application or tenant are refused', async () => {
    expect(await failureOf(configuration({ clientId: randomUUID() }))).toMatchObject({ code: 'not_configured' });
    expect(await failureOf(configuration({ tenantId: randomUUID() }))).toMatchObject({ code: 'not_configured' });
  });

  test('that may not read the machine are refused', async () => {
    const { clientId, clientSecret } = cloud.addApplication({ mayRead: () => false });
    expect(await failureOf(configuration({ clientId, clientSecret }))).toMatchObject({ code: 'not_configured' });
    expect(logger.lines).toMatchObject([{ level: 'warn', fields: { status: 403, code: 'AuthorizationFailed' } }]);
  });

  test('serve fifty lookups at once with one token', async () => {
    const machines = Array.from({ length: 50 }, (_, index) => cloud.addVirtualMachine({ name: `crowd-${index}` }));
    cloud.setLatency(5);
    const settings = configuration();
    const found = await Promise.all(machines.map((machine) => lookups.virtualMachine(machine, settings, patience())));
    expect(found.map((resource) => resource?.id)).toEqual(machines.map(({ id }) => id));
    expect(tokenCalls()).toBe(1);
    expect(resourceCalls()).toBe(50);
  });

  test('serve machines, identities and subscriptions with one token', async () => {
    const settings = configuration();
    const elsewhere = cloud.addVirtualMachine({ subscriptionId: randomUUID() });
    await lookups.virtualMachine(cloud.addVirtualMachine({}), settings, patience());
    await lookups.virtualMachine(elsewhere, settings, patience());
    await lookups.userAssignedIdentity(cloud.addUserAssignedIdentity({}), settings, patience());
    expect(tokenCalls()).toBe(1);
  });

  test('of a new configuration never use a token of the one before', async () => {
    const machine = cloud.addVirtualMachine({});
    const settings = configuration();
    await lookups.virtualMachine(machine, settings, patience());
    const next = { ...settings };
    await lookups.virtualMachine(machine, next, patience());
    expect(tokenCalls()).toBe(2);
    const [first, , second] = cloud.calls({ service: 'resource-manager' }).map(({ headers }) => headers.authorization);
    await lookups.virtualMachine(machine, settings, patience());
    expect(first).not.toBe(second ?? '');
    expect(tokenCalls()).toBe(2);
  });
});

describe('an outage of the resource manager', () => {
  const service = 'resource-manager';

  test.each([408, 429, 500, 502, 503, 504])('with status %i is survived when it is short', async (status) => {
    breakDown({ service, status, times: 2 });
    const machine = cloud.addVirtualMachine({});
    expect(await lookups.virtualMachine(machine, configuration(), patience())).toMatchObject({ id: machine.id });
    expect(resourceCalls()).toBe(3);
  });

  test.each<[string, Fault]>([
    ['a reset', { reset: true }],
    ['bytes that are not HTTP', { garbage: true }],
  ])('with %s is survived when it is short', async (_, fault) => {
    breakDown({ service, ...fault, times: 2 });
    const machine = cloud.addVirtualMachine({});
    expect(await lookups.virtualMachine(machine, configuration(), patience())).toMatchObject({ id: machine.id });
  });

  test.each<[string, number, Fault]>([
    ['status 429', 3, { status: 429 }],
    ['status 500', 3, { status: 500, body: 'canary-stack-trace' }],
    ['resets', 3, { reset: true }],
    ['bytes that are not HTTP', 3, { garbage: true }],
    ['an empty answer', 1, { status: 200 }],
    ['broken JSON', 1, { body: '{"id": canary-' }],
    ['a web page', 1, { body: '<html>canary-page</html>', headers: { 'content-type': 'text/html' } }],
    ['too many bytes', 1, { body: 'x'.repeat(70_000) }],
    ['a redirect', 1, { status: 307, headers: { location: '/subscriptions/canary-elsewhere' } }],
  ])('with %s is unavailable after %i attempts', async (_, attempts, fault) => {
    breakDown({ service, ...fault });
    expect(await failureOf()).toMatchObject({ code: 'provider_unavailable', status: 503, retryAfter: 5 });
    expect(resourceCalls()).toBe(attempts);
  });

  test('tells how long it asks to wait, without waiting longer than configured', async () => {
    breakDown({ service, status: 429, headers: { 'retry-after': '3600' } });
    expect(await failureOf()).toMatchObject({ code: 'provider_unavailable', retryAfter: 3600 });
    expect(resourceCalls()).toBe(1);
  });

  test.each<[string, Fault]>([
    ['never answers', { hang: true }],
    ['stalls within its answer', { stallBody: true, body: { id: 'x' } }],
  ])('that %s ends with the deadline', async (_, fault) => {
    breakDown({ service, ...fault });
    const deadline = new AbortController();
    const failure = failureOf(configuration(), cloud.addVirtualMachine({}), deadline.signal);
    await resourceManagerReached();
    deadline.abort();
    expect(await failure).toMatchObject({ code: 'provider_unavailable' });
  });
});

describe('an outage of the directory', () => {
  const service = 'authority';

  test.each<[string, Fault]>([
    ['status 503', { status: 503 }],
    ['a reset', { reset: true }],
  ])('with %s is survived when it is short', async (_, fault) => {
    breakDown({ service, ...fault, times: 2 });
    const machine = cloud.addVirtualMachine({});
    expect(await lookups.virtualMachine(machine, configuration(), patience())).toMatchObject({ id: machine.id });
    expect(tokenCalls()).toBe(3);
  });

  test.each<[string, Fault]>([
    ['status 429', { status: 429 }],
    ['status 500', { status: 500, body: 'canary-stack-trace' }],
    ['resets', { reset: true }],
    ['an empty answer', { status: 200 }],
    ['a web page', { body: '<html>canary-page</html>' }],
    ['too many bytes', { body: 'x'.repeat(70_000) }],
    ['a redirect', { status: 302, headers: { location: '/canary-elsewhere' } }],
  ])('with %s is unavailable', async (_, fault) => {
    breakDown({ service, ...fault });
    expect(await failureOf()).toMatchObject({ code: 'provider_unavailable', status: 503 });
    expect(resourceCalls()).toBe(0);
  });

  test('tells how long it asks to wait', async () => {
    breakDown({ service, status: 429, headers: { 'retry-after': '60' } });
    expect(await failureOf()).toMatchObject({ code: 'provider_unavailable', retryAfter: 60 });
  });

  test('is over as soon as it answers again', async () => {
    const settings = configuration();
    breakDown({ service, status: 503, times: 3 });
    expect(await failureOf(settings)).toMatchObject({ code: 'provider_unavailable' });
    expect(await lookups.virtualMachine(cloud.addVirtualMachine({}), settings, patience())).toBeDefined();
  });

  test("that never answers ends with the caller's deadline, and not for others", async () => {
    breakDown({ service, delay: 50 });
    const machine = cloud.addVirtualMachine({});
    const settings = configuration();
    const deadline = new AbortController();
    const impatient = failureOf(settings, machine, deadline.signal);
    const patient = lookups.virtualMachine(machine, settings, patience());
    deadline.abort();
    expect(await impatient).toMatchObject({ code: 'provider_unavailable' });
    expect(await patient).toMatchObject({ id: machine.id });
    expect(tokenCalls()).toBe(1);
  });
});
