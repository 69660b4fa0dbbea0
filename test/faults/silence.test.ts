import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { PROVIDER_TEXT, expectOutage } from './expectations.js';
import { FaultyCloud } from './harness.js';
import { SERVICES, SERVICE_NAMES, roleFor } from './services.js';

const SILENCES = {
  hangs: { hang: true },
  'stalls within its body': { body: { id: PROVIDER_TEXT }, stallBody: true },
};
const CASES = SERVICE_NAMES.flatMap((name) =>
  Object.entries(SILENCES).map(([silence, trouble]) => [name, silence, trouble] as const),
);
/** Milliseconds after which a first attempt of three makes room, when a login may wait 30 seconds. */
const SHARE = 10_000;
/** Milliseconds after which any call that logins share is given up. */
const SHARED_DEADLINE = 30_000;

let cloud: FaultyCloud;

beforeAll(async () => {
  cloud = await FaultyCloud.start();
});
afterEach(() => cloud.reset());
afterAll(() => cloud.close());

test.each(CASES)('%s that %s once: another attempt serves the login', async (name, _, trouble) => {
  const host = await cloud.host();
  cloud.break(SERVICES[name], { ...trouble, times: 1 });
  const login = host.login(roleFor(name));
  await cloud.called(SERVICES[name], 1);
  cloud.clock.leap(SHARE);
  expect(await login).toMatchObject({ status: 200 });
  expect(cloud.calls(SERVICES[name])).toBe(2);
});

describe('a login waits no longer than its host allows', () => {
  test.each([
    ...SERVICE_NAMES.map((name) => [name, 'hangs'] as const),
    ['key set', 'stalls within its body'] as const,
    ['resource manager', 'stalls within its body'] as const,
  ])('for a %s that %s without end', async (name, silence) => {
    const host = await cloud.host({ providerTimeout: 1 });
    cloud.break(SERVICES[name], SILENCES[silence]);
    expectOutage(host, await host.login(roleFor(name)));
    expect([1, 2, 3]).toContain(cloud.calls(SERVICES[name]));
    cloud.mend();
    cloud.clock.leap(SHARED_DEADLINE);
    expect(await host.loginAfterOutage(roleFor(name))).toMatchObject({ status: 200 });
  });

  test('for services that each are slow but in time', async () => {
    const host = await cloud.host({ providerTimeout: 1 });
    cloud.simulator.setLatency(300);
    expectOutage(host, await host.login('placed'));
    // Discovery, keys, access token, machine: the last one is not answered in time.
    expect(cloud.simulator.calls().length).toBeLessThanOrEqual(4);
    cloud.simulator.setLatency(0);
    expect(await host.loginAfterOutage('placed')).toMatchObject({ status: 200 });
  });

  test.each(SERVICE_NAMES)('for pauses between attempts: %s', async (name) => {
    const host = await cloud.host({ retryDelay: 100 });
    cloud.break(SERVICES[name], { status: 503 });
    expectOutage(host, await host.login(roleFor(name)));
    expect(cloud.calls(SERVICES[name])).toBe(1);
  });
});
