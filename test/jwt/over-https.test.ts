import { setImmediate } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { CloudConfiguration, OutboundTransport, TokenValidator } from '../../src/contract/index.js';
import { COOLDOWN, REFRESH_AFTER } from '../../src/jwt/key-source.js';
import { createTokenValidator } from '../../src/jwt/index.js';
import { startSimulator } from '../../src/simulator/index.js';
import type { Fault, Simulator, VirtualMachine } from '../../src/simulator/index.js';
import { createTransport } from '../../src/transport/index.js';
import { ManualClock } from '../support/clock.js';
import { recordingLogger } from '../support/logger.js';

const RESOURCE = 'https://resource.example/';
const KEY_SETS = /\/keys$/;

const clock = new ManualClock();
let simulator: Simulator;
let machine: VirtualMachine;
let transport: OutboundTransport;
let validator: TokenValidator;
let configuration: CloudConfiguration;

beforeAll(async () => {
  simulator = await startSimulator({ now: () => clock.now() });
  machine = simulator.addVirtualMachine({ systemAssigned: true });
});

afterAll(() => simulator.close());

beforeEach(() => {
  simulator.resetCalls();
  transport = createTransport({ userAgent: 'test/1', maxBodyBytes: 64 * 1024 });
  validator = createTokenValidator({ transport, clock, logger: recordingLogger() });
  configuration = {
    tenantId: simulator.tenantId,
    resource: RESOURCE,
    environment: simulator.environment,
    maxAttempts: 1,
    retryDelay: 0,
    maxRetryDelay: 0,
  };
});

afterEach(async () => {
  await validator.close();
  await transport.close();
});

function validate(token: string, signal = new AbortController().signal) {
  return validator.validate(token, configuration, signal);
}

function keyFetches(): number {
  return simulator.calls({ path: KEY_SETS }).length;
}

test.each([1, 2] as const)('accepts the machine token of version %p', async (version) => {
  const token = await simulator.tokenFor(machine, { resource: RESOURCE, version });
  expect(await validate(token)).toMatchObject({
    objectId: machine.systemAssigned?.principalId,
    applicationId: machine.systemAssigned?.clientId,
    groupOverage: false,
    expiresAt: Math.floor(clock.now() / 1000) + 86_400,
  });
  expect(await validate(token)).toHaveProperty('resourceId');
  expect(simulator.calls()).toHaveLength(2);
});

test('fifty concurrent cold logins cost two calls', async () => {
  const tokens = await Promise.all(
    Array.from({ length: 50 }, () => simulator.tokenFor(machine, { resource: RESOURCE })),
  );
  await Promise.all(tokens.map((token) => validate(token)));
  expect(simulator.calls()).toHaveLength(2);
});

test('refuses tokens for another audience and of another tenant', async () => {
  await expect(
    validate(await simulator.tokenFor(machine, { resource: 'https://other.example' })),
  ).rejects.toMatchObject({
    rule: 'token-audience',
  });
  const overrides = { iss: 'https://sts.windows.net/11111111-2222-3333-4444-555555555555/' };
  await expect(validate(await simulator.tokenFor(machine, { resource: RESOURCE, overrides }))).rejects.toMatchObject({
    rule: 'token-issuer',
  });
});

test('follows a rollover and forgets retired keys', async () => {
  const old = await simulator.tokenFor(machine, { resource: RESOURCE });
  await validate(old);
  await simulator.rolloverKeys();
  const fresh = await simulator.tokenFor(machine, { resource: RESOURCE });
  await expect(validate(fresh)).rejects.toMatchObject({ rule: 'token-key' });
  clock.advance(COOLDOWN);
  await validate(fresh);
  await validate(old);
  expect(keyFetches()).toBe(2);

  simulator.retireOldKeys();
  clock.advance(REFRESH_AFTER);
  const afterRetirement = await simulator.tokenFor(machine, { resource: RESOURCE });
  await validate(afterRetirement);
  // The refresh runs in the background: until it is there, the old key still counts.
  const untilRefused = async (): Promise<never> => {
    for (;;) {
      await setImmediate();
      await validate(old);
    }
  };
  await expect(untilRefused()).rejects.toMatchObject({ code: 'login_denied', rule: 'token-key' });
  await validate(afterRetirement);
});

const OUTAGES: [string, Omit<Fault, 'service'>][] = [
  ['answers 503', { status: 503, body: 'canary-provider-text' }],
  ['resets', { reset: true }],
  ['sends garbage', { garbage: true }],
  ['sends a page', { status: 200, body: '<html>canary-provider-text</html>' }],
  ['sends too much', { status: 200, body: 'x'.repeat(65 * 1024) }],
  ['redirects', { status: 302, headers: { location: 'https://127.0.0.1:1/keys' } }],
];

test.each(OUTAGES)('an authority that %s fails cold logins and no others', async (_, fault) => {
  const token = await simulator.tokenFor(machine, { resource: RESOURCE });
  const outage = simulator.fail({ service: 'authority', ...fault });
  try {
    const error: unknown = await validate(token).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'provider_unavailable', retryAfter: 1 });
    expect(String(error)).not.toContain('canary');
    outage.remove();
    clock.advance(1000);
    await validate(token);

    const again = simulator.fail({ service: 'authority', ...fault });
    clock.advance(COOLDOWN);
    const unknown = await simulator.issueToken({ iss: 'https://sts.windows.net/' }, { kid: 'unknown' });
    await expect(validate(unknown)).rejects.toMatchObject({ code: 'provider_unavailable', retryAfter: 30 });
    await validate(token);
    expect(again.hits).toBe(1);
    again.remove();
  } finally {
    outage.remove();
  }
});

test.each<[string, Omit<Fault, 'service'>]>([
  ['hangs', { hang: true }],
  ['stalls within its answer', { stallBody: true, body: '{"issuer":' }],
])('a login gives up on an authority that %s when its time is over', async (_, fault) => {
  const token = await simulator.tokenFor(machine, { resource: RESOURCE });
  const outage = simulator.fail({ service: 'authority', ...fault });
  await expect(validate(token, AbortSignal.timeout(100))).rejects.toMatchObject({ code: 'provider_unavailable' });
  expect(outage.hits).toBe(1);
  outage.remove();
});

test('an authority whose certificate is not trusted is not believed', async () => {
  const token = await simulator.tokenFor(machine, { resource: RESOURCE });
  const { ca, ...untrusting } = configuration.environment;
  configuration = { ...configuration, environment: untrusting };
  expect(ca).toBeDefined();
  await expect(validate(token)).rejects.toMatchObject({ code: 'provider_unavailable' });
  expect(simulator.calls()).toHaveLength(0);
});

test('other credentials leave keys and recognised tokens alone; another audience, tenant or environment does not', async () => {
  const token = await simulator.tokenFor(machine, { resource: RESOURCE });
  const { signal } = new AbortController();
  await validate(token);
  await validator.validate(token, { ...configuration, clientId: 'other', clientSecret: 'canary-other' }, signal);
  expect(keyFetches()).toBe(1);

  const elsewhere: Partial<CloudConfiguration>[] = [
    { resource: 'https://other.example' },
    { tenantId: '99999999-9999-9999-9999-999999999999' },
    { environment: { ...configuration.environment, name: 'Other' } },
  ];
  for (const change of elsewhere) {
    simulator.resetCalls();
    await validator.validate(token, { ...configuration, ...change }, signal).catch(() => undefined);
    expect(simulator.calls().length).toBeGreaterThan(0);
  }
});
