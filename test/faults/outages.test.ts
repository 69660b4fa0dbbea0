import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { CallFilter, Fault } from '../../src/simulator/index.js';
import { PROVIDER_TEXT, expectOutage } from './expectations.js';
import { FaultyCloud } from './harness.js';
import { SERVICES, SERVICE_NAMES, isOfKeys, roleFor } from './services.js';
import type { ServiceName } from './services.js';

type Trouble = Omit<Fault, keyof CallFilter>;

const MAX_BODY = 4 * 1024 * 1024;

/** What another attempt may cure. */
const PASSING: Record<string, Trouble> = {
  '429 with a short Retry-After': { status: 429, headers: { 'retry-after': '0' }, body: PROVIDER_TEXT },
  '429 without Retry-After': { status: 429, body: { error: { code: 'TooManyRequests', message: PROVIDER_TEXT } } },
  '500': { status: 500, body: `<html>${PROVIDER_TEXT}</html>` },
  '503': { status: 503, body: { error: PROVIDER_TEXT } },
  'a reset': { reset: true },
  'bytes that are not HTTP': { garbage: true },
};

/** What another attempt would meet again. */
const LASTING: Record<string, Trouble> = {
  'a 200 with an empty body': { status: 200 },
  'a 200 that is no JSON': { body: `<html>${PROVIDER_TEXT}</html>` },
  'a 200 with half a JSON text': { body: '{"id": "canary-' },
  'a 200 of the wrong shape': {
    body: { id: 7, keys: PROVIDER_TEXT, issuer: 7, access_token: [], value: PROVIDER_TEXT },
  },
  'a 200 with an empty object': { body: {} },
  'a 200 with a list': { body: [PROVIDER_TEXT] },
  'a 200 with null': { body: 'null' },
  'a 204': { status: 204 },
  'a body without bounds': { body: 'x'.repeat(MAX_BODY + 1) },
  'a redirect': { status: 302, headers: { location: `https://127.0.0.1:1/${PROVIDER_TEXT}` } },
  'a 404 of a proxy': { status: 404, body: PROVIDER_TEXT },
};

let cloud: FaultyCloud;

beforeAll(async () => {
  cloud = await FaultyCloud.start();
});
afterEach(() => cloud.reset());
afterAll(() => cloud.close());

const each = (troubles: Record<string, Trouble>): [ServiceName, string, Trouble][] =>
  SERVICE_NAMES.flatMap((service) =>
    Object.entries(troubles).map(([name, trouble]): [ServiceName, string, Trouble] => [service, name, trouble]),
  );

describe.each(SERVICE_NAMES)('%s', (name) => {
  const service = SERVICES[name];
  const role = roleFor(name);

  test.each(Object.entries(PASSING))('once %s: the second attempt serves the login', async (_, trouble) => {
    const host = await cloud.host();
    cloud.break(service, { ...trouble, times: 1 });
    expect(await host.login(role)).toMatchObject({ status: 200 });
    expect(cloud.calls(service)).toBe(2);
  });

  test.each(Object.entries(PASSING))('%s without end: 503 after max_retries attempts in all', async (_, trouble) => {
    const host = await cloud.host({ maxRetries: 4 });
    cloud.break(service, trouble);
    expectOutage(host, await host.login(role));
    expect(cloud.calls(service)).toBe(4);
    cloud.mend();
    expect(await host.loginAfterOutage(role)).toMatchObject({ status: 200 });
  });
});

test.each(each(LASTING))('%s, %s: 503 after one attempt', async (name, _, trouble) => {
  const host = await cloud.host();
  cloud.break(SERVICES[name], trouble);
  expectOutage(host, await host.login(roleFor(name)));
  expect(cloud.calls(SERVICES[name])).toBe(1);
  cloud.mend();
  expect(await host.loginAfterOutage(roleFor(name))).toMatchObject({ status: 200 });
});

test.each(SERVICE_NAMES)('%s, max_retries of 1: no second attempt', async (name) => {
  const host = await cloud.host({ maxRetries: 1 });
  cloud.break(SERVICES[name], { status: 503, times: 1 });
  expectOutage(host, await host.login(roleFor(name)));
  expect(cloud.calls(SERVICES[name])).toBe(1);
});

describe('Retry-After', () => {
  test.each(SERVICE_NAMES)('of the %s is waited for', async (name) => {
    const host = await cloud.host();
    cloud.break(SERVICES[name], { status: 429, headers: { 'retry-after': '7' }, times: 1 });
    const login = host.login(roleFor(name));
    await cloud.clock.slept(7_000);
    expect(cloud.calls(SERVICES[name])).toBe(1);
    cloud.clock.leap(7_000);
    expect(await login).toMatchObject({ status: 200 });
    expect(cloud.calls(SERVICES[name])).toBe(2);
  });

  // Longer than a login waits for the provider in all, and then longer than max_retry_delay too.
  const LONG: [ServiceName, string, string][] = [
    ...SERVICE_NAMES.map((name): [ServiceName, string, string] => [name, '40', isOfKeys(name) ? '30' : '40']),
    ['key set', '3600', '30'],
    ['token endpoint', '3601', '3600'],
    ['resource manager', '999999999', '3600'],
    ['graph', 'Fri, 01 Jan 2100 00:00:00 GMT', '3600'],
  ];

  test.each(LONG)('of the %s, %s: no waiting and no other attempt', async (name, wish, told) => {
    const host = await cloud.host();
    cloud.break(SERVICES[name], { status: 429, headers: { 'retry-after': wish } });
    const answer = await host.login(roleFor(name));
    expectOutage(host, answer);
    expect(answer.retryAfter).toBe(told);
    expect(cloud.calls(SERVICES[name])).toBe(1);
    expect(cloud.clock.sleeps.filter((pause) => pause > 30_000)).toEqual([]);
    cloud.mend();
    expect(await host.loginAfterOutage(roleFor(name))).toMatchObject({ status: 200 });
  });
});

// Nothing listens there. The issuer's document says where the keys are; the token endpoint is where the discovery is.
describe('a port where nobody listens', () => {
  const NOWHERE = 'https://127.0.0.1:1';
  const env = { AZURE_SDK_GO_LOGGING: 'all' };

  test.each([
    ['discovery', { authorityHost: NOWHERE }, 'openid-configuration'],
    ['resource manager', { resourceManagerEndpoint: NOWHERE }, 'virtualMachines'],
    ['graph', { graphEndpoint: NOWHERE }, 'checkMemberGroups'],
  ] as const)('%s: 503 after max_retries attempts', async (name, environment, path) => {
    const host = await cloud.host({ environment, env });
    expectOutage(host, await host.login(roleFor(name)));
    const attempts = host.logger.lines.filter(
      ({ message, fields }) => message === 'provider request failed' && String(fields['url']).includes(path),
    );
    expect(attempts).toHaveLength(3);
  });

  test('key set: 503 after max_retries attempts', async () => {
    const { tenantId } = cloud.simulator;
    const body = { issuer: `https://sts.windows.net/${tenantId}/`, jwks_uri: `${NOWHERE}/keys` };
    cloud.break(SERVICES.discovery, { body });
    const host = await cloud.host({ env });
    expectOutage(host, await host.login('listed'));
    expect(host.logger.lines.filter(({ message }) => message === 'provider request failed')).toHaveLength(3);
    cloud.mend();
    expect(await host.loginAfterOutage('listed')).toMatchObject({ status: 200 });
  });
});
