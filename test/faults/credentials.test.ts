import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { PROVIDER_TEXT, expectNothingTold, expectOutage } from './expectations.js';
import { FaultyCloud } from './harness.js';
import { SERVICES, roleFor } from './services.js';

const LOOKUPS = ['resource manager', 'graph'] as const;
const TOKENS = SERVICES['token endpoint'];
const REFUSAL = { error: { code: 'AuthorizationFailed', message: PROVIDER_TEXT } };

let cloud: FaultyCloud;

beforeAll(async () => {
  cloud = await FaultyCloud.start();
});
afterEach(() => cloud.reset());
afterAll(() => cloud.close());

describe.each(LOOKUPS)('%s', (name) => {
  const service = SERVICES[name];
  const role = roleFor(name);

  test('a token that was revoked early: one fresh token, one more try', async () => {
    const host = await cloud.host();
    cloud.break(service, { status: 401, body: REFUSAL, times: 1 });
    expect(await host.login(role)).toMatchObject({ status: 200 });
    expect(cloud.calls(service)).toBe(2);
    expect(cloud.calls(TOKENS)).toBe(2);
    const [first, second] = cloud.simulator.calls(service).map(({ headers }) => headers.authorization);
    expect(first === second).toBe(false);
  });

  test('tokens revoked by the directory cost the next login no more than that', async () => {
    const host = await cloud.host();
    expect(await host.login(role)).toMatchObject({ status: 200 });
    cloud.simulator.revokeTokens();
    cloud.clock.leap(60_000);
    cloud.simulator.resetCalls();
    expect(await host.login(role)).toMatchObject({ status: 200 });
    expect(cloud.calls(service)).toBe(2);
    expect(cloud.calls(TOKENS)).toBe(1);
  });

  test('the one more try is not repeated, whatever comes of it', async () => {
    const host = await cloud.host();
    cloud.break(service, { status: 503 });
    cloud.break(service, { status: 401, body: REFUSAL, times: 1 });
    expectOutage(host, await host.login(role));
    expect(cloud.calls(service)).toBe(2);
  });

  test('401 without end: 400 for the operator, and for a minute no fresh tokens', async () => {
    const host = await cloud.host();
    cloud.break(service, { status: 401, body: REFUSAL });
    const answer = await host.login(role);
    expect(answer).toMatchObject({ status: 400, retryAfter: undefined });
    expectNothingTold(host, answer);
    expect(cloud.calls(service)).toBe(2);
    expect(await host.login(role)).toMatchObject({ status: 400 });
    expect(cloud.calls(service)).toBe(3);
    expect(cloud.calls(TOKENS)).toBe(2);
    cloud.mend();
    expect(await host.login(role)).toMatchObject({ status: 200 });
  });

  test('403: 400 for the operator after one attempt', async () => {
    const host = await cloud.host();
    cloud.break(service, { status: 403, body: REFUSAL });
    const answer = await host.login(role);
    expect(answer).toMatchObject({ status: 400, retryAfter: undefined });
    expectNothingTold(host, answer);
    expect(cloud.calls(service)).toBe(1);
    cloud.mend();
    expect(await host.login(role)).toMatchObject({ status: 200 });
  });
});

describe('token endpoint', () => {
  test.each([
    [401, 'invalid_client'],
    [400, 'unauthorized_client'],
    [403, 'access_denied'],
  ])('%i %s: 400 for the operator after one attempt', async (status, error) => {
    const host = await cloud.host();
    const body = { error, error_description: `AADSTS7000215: ${PROVIDER_TEXT}`, error_codes: [7000215] };
    cloud.break(TOKENS, { status, body });
    const answer = await host.login('placed');
    expect(answer).toMatchObject({ status: 400, retryAfter: undefined });
    expectNothingTold(host, answer);
    expect(cloud.calls(TOKENS)).toBe(1);
    expect(cloud.calls(SERVICES['resource manager'])).toBe(0);
    cloud.mend();
    expect(await host.login('placed')).toMatchObject({ status: 200 });
  });

  test.each([401, 403])('%i of a proxy in between: 503', async (status) => {
    const host = await cloud.host();
    cloud.break(TOKENS, { status, body: `<html>${PROVIDER_TEXT}</html>` });
    expectOutage(host, await host.login('placed'));
    expect(cloud.calls(TOKENS)).toBe(1);
  });
});

test.each((['discovery', 'key set'] as const).flatMap((name) => [401, 403].map((status) => [name, status] as const)))(
  '%s, %i: 503 after one attempt, since keys are for everybody',
  async (name, status) => {
    const host = await cloud.host();
    cloud.break(SERVICES[name], { status, body: PROVIDER_TEXT });
    expectOutage(host, await host.login('listed'));
    expect(cloud.calls(SERVICES[name])).toBe(1);
    cloud.mend();
    expect(await host.loginAfterOutage('listed')).toMatchObject({ status: 200 });
  },
);

test('a denial stays a denial beside an outage that it does not depend on', async () => {
  const host = await cloud.host();
  cloud.break(SERVICES['resource manager'], { status: 503 });
  cloud.break(TOKENS, { status: 503 });
  const body = await cloud.loginOf(cloud.machine, 'placed');
  expect(await host.send({ ...body, vm_name: 'other' })).toMatchObject({ status: 403, retryAfter: undefined });
  expect(await host.send({ ...body, vm_name: 'no/name' })).toMatchObject({ status: 400, retryAfter: undefined });
  expect(cloud.calls(TOKENS)).toBe(0);
});
