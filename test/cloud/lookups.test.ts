import { afterEach, describe, expect, test } from '@jest/globals';
import { createCloudLookups } from '../../src/cloud/index.js';
import { AuthMethodError } from '../../src/contract/index.js';
import type { Clock, CloudLookups, OutboundTransport } from '../../src/contract/index.js';
import { ManualClock } from '../support/clock.js';
import { recordingLogger } from '../support/logger.js';
import { CONFIGURATION, ENVIRONMENT, MACHINE, MACHINE_ANSWER, TOKEN_ANSWER } from './fakes.js';
import { answer, fakeCloud, fakeTransport, sleeplessClock } from './fakes.js';

const signal = new AbortController().signal;

function lookupsOn(transport: OutboundTransport, clock: Clock = sleeplessClock()): CloudLookups {
  return createCloudLookups({ transport, clock, logger: recordingLogger() });
}

describe('a lookup', () => {
  afterEach(() => {
    delete process.env['MSAL_FORCE_REGION'];
  });

  test('asks the configured directory and resource manager, and nobody else', async () => {
    process.env['MSAL_FORCE_REGION'] = 'westeurope';
    const transport = fakeCloud(() => MACHINE_ANSWER);
    await lookupsOn(transport).virtualMachine(MACHINE, CONFIGURATION, signal);
    expect(transport.requests.map(({ method, url }) => `${method} ${url.replace(/\?.*/, '')}`)).toEqual([
      `POST ${ENVIRONMENT.authorityHost}/${CONFIGURATION.tenantId}/oauth2/v2.0/token`,
      `GET ${ENVIRONMENT.resourceManagerEndpoint}/subscriptions/${MACHINE.subscriptionId}/resourceGroups/` +
        `Gruppe-%28%C3%A4%29/providers/Microsoft.Compute/virtualMachines/0-web.1`,
    ]);
  });

  test('asks for a token for the resource manager, with the client secret', async () => {
    const transport = fakeCloud(() => MACHINE_ANSWER);
    await lookupsOn(transport).virtualMachine(MACHINE, CONFIGURATION, signal);
    const form = new URLSearchParams(transport.requests[0]!.body as string);
    expect(form.get('grant_type')).toBe('client_credentials');
    expect(form.get('client_id')).toBe(CONFIGURATION.clientId);
    expect(form.get('client_secret')).toBe(CONFIGURATION.clientSecret);
    expect(form.get('scope')).toBe(`${ENVIRONMENT.resourceManagerAudience}/.default`);
  });

  test('leaves user agent and compression to the transport', async () => {
    const transport = fakeCloud(() => MACHINE_ANSWER);
    await lookupsOn(transport).virtualMachine(MACHINE, CONFIGURATION, signal);
    expect(transport.requests[1]!.headers).toEqual({
      accept: 'application/json',
      authorization: 'Bearer canary-access-token',
    });
  });

  test("trusts the environment's certificates", async () => {
    const transport = fakeCloud(() => MACHINE_ANSWER);
    const environment = { ...ENVIRONMENT, ca: 'PEM' };
    await lookupsOn(transport).virtualMachine(MACHINE, { ...CONFIGURATION, environment }, signal);
    expect(transport.requests.map(({ ca }) => ca)).toEqual(['PEM', 'PEM']);
  });

  test.each([
    ['client_id', { ...CONFIGURATION, clientId: '' }],
    ['client_secret', { ...CONFIGURATION, clientSecret: '' }],
  ])('with the client secret pinned and no %s is a gap in the configuration', async (_, configuration) => {
    const transport = fakeCloud(() => MACHINE_ANSWER);
    const pinned = { ...configuration, credentialKind: 'root_creds' as const };
    const found = lookupsOn(transport).virtualMachine(MACHINE, pinned, signal);
    await expect(found).rejects.toMatchObject({
      code: 'not_configured',
      field: 'auth_type',
      message: 'auth_type: "root_creds" needs client_id and client_secret',
    });
    expect(transport.requests).toEqual([]);
  });

  test.each(['', '.', '..', 'a/b', 'a\\b', 'a?b', 'a#b', 'a%2fb', 'a\nb', '\ud800'])(
    'never asks about the name %j',
    async (name) => {
      const transport = fakeCloud(() => MACHINE_ANSWER);
      const lookups = lookupsOn(transport);
      for (const part of ['subscriptionId', 'resourceGroup', 'name']) {
        const reference = { ...MACHINE, [part]: name };
        await expect(lookups.virtualMachine(reference, CONFIGURATION, signal)).rejects.toMatchObject({
          code: 'internal',
        });
        await expect(lookups.userAssignedIdentity(reference, CONFIGURATION, signal)).rejects.toMatchObject({
          code: 'internal',
        });
      }
      expect(transport.requests).toEqual([]);
    },
  );

  test('rejects with an error of this package whatever the transport does', async () => {
    const transport = fakeTransport(() => new TypeError('canary-bug'));
    const found = lookupsOn(transport).virtualMachine(MACHINE, CONFIGURATION, signal);
    await expect(found).rejects.toBeInstanceOf(AuthMethodError);
    await expect(found).rejects.toMatchObject({ code: 'provider_unavailable' });
  });

  test('with a signal that has aborted is unavailable', async () => {
    const found = lookupsOn(fakeCloud(() => MACHINE_ANSWER)).virtualMachine(
      MACHINE,
      CONFIGURATION,
      AbortSignal.abort(),
    );
    await expect(found).rejects.toMatchObject({ code: 'provider_unavailable' });
  });

  test('keeps the clients of many subscriptions apart', async () => {
    const transport = fakeCloud(() => MACHINE_ANSWER);
    const lookups = lookupsOn(transport);
    const subscriptions = Array.from({ length: 70 }, (_, index) => `subscription-${index}`);
    for (const subscriptionId of [...subscriptions, ...subscriptions]) {
      await lookups.virtualMachine({ ...MACHINE, subscriptionId }, CONFIGURATION, signal);
      expect(transport.requests.at(-1)!.url).toContain(`/subscriptions/${subscriptionId}/`);
    }
    expect(transport.requests).toHaveLength(1 + 140);
  });
});

describe('a refused access token', () => {
  const unauthorized = answer(401, { error: { code: 'InvalidAuthenticationToken' } });

  test('is replaced once, however young it is', async () => {
    const clock = new ManualClock();
    const replies = [MACHINE_ANSWER, unauthorized, MACHINE_ANSWER];
    const transport = fakeCloud(() => replies.shift()!);
    const lookups = lookupsOn(transport, clock);
    await lookups.virtualMachine(MACHINE, CONFIGURATION, signal);
    await expect(lookups.virtualMachine(MACHINE, CONFIGURATION, signal)).resolves.toBeDefined();
    expect(transport.requests.map(({ method }) => method)).toEqual(['POST', 'GET', 'GET', 'POST', 'GET']);
  });

  test('means that the credentials are refused when another fares no better', async () => {
    const clock = new ManualClock();
    const replies = [MACHINE_ANSWER, unauthorized, unauthorized, unauthorized];
    const transport = fakeCloud(() => replies.shift()!);
    const lookups = lookupsOn(transport, clock);
    await lookups.virtualMachine(MACHINE, CONFIGURATION, signal);
    clock.advance(60_000);
    for (let login = 0; login < 2; login++) {
      await expect(lookups.virtualMachine(MACHINE, CONFIGURATION, signal)).rejects.toMatchObject({
        code: 'not_configured',
      });
    }
    expect(transport.requests.filter(({ method }) => method === 'POST')).toHaveLength(2);
  });
});

describe("the directory's answer", () => {
  test.each([
    ['empty', ''],
    ['no JSON', '<html>'],
    ['a list', []],
    ['null', 'null'],
    ['without a token', { token_type: 'Bearer', expires_in: 3600 }],
    ['without a lifetime', { token_type: 'Bearer', access_token: 'canary-access-token' }],
    ['expired', { token_type: 'Bearer', access_token: 'canary-access-token', expires_in: 0 }],
    ['with a token that is no text', { token_type: 'Bearer', access_token: { a: 1 }, expires_in: 3600 }],
    [
      'with a lifetime that is no number',
      { token_type: 'Bearer', access_token: 'canary-access-token', expires_in: {} },
    ],
    ['an error in disguise', { error: 'invalid_client', error_description: 'canary-quoted' }],
  ])('is an outage when it is %s', async (_, body) => {
    const transport = fakeCloud(
      () => MACHINE_ANSWER,
      () => answer(200, body),
    );
    const found = lookupsOn(transport).virtualMachine(MACHINE, CONFIGURATION, signal);
    await expect(found).rejects.toMatchObject({ code: 'provider_unavailable' });
    expect(transport.requests.filter(({ method }) => method === 'GET')).toEqual([]);
  });

  test('after an outage is believed at once', async () => {
    const replies = [answer(503), answer(503), answer(503), TOKEN_ANSWER];
    const transport = fakeCloud(
      () => MACHINE_ANSWER,
      () => replies.shift()!,
    );
    const lookups = lookupsOn(transport);
    await expect(lookups.virtualMachine(MACHINE, CONFIGURATION, signal)).rejects.toMatchObject({
      code: 'provider_unavailable',
    });
    await expect(lookups.virtualMachine(MACHINE, CONFIGURATION, signal)).resolves.toBeDefined();
  });
});

describe("the resource manager's answer", () => {
  test.each([
    ['empty', ''],
    ['no JSON', '{"id":'],
    ['a text', '"canary-text"'],
    ['null', 'null'],
    ['a list', []],
    ['an object without id', { location: 'westeurope' }],
    ['of wrong types', { id: 1, location: {}, zones: 7, properties: 'x' }],
  ])('is an outage when it is %s', async (_, body) => {
    const lookups = lookupsOn(fakeCloud(() => answer(200, body)));
    await expect(lookups.virtualMachine(MACHINE, CONFIGURATION, signal)).rejects.toMatchObject({
      code: 'provider_unavailable',
    });
    await expect(lookups.userAssignedIdentity(MACHINE, CONFIGURATION, signal)).rejects.toMatchObject({
      code: 'provider_unavailable',
    });
  });

  test('is an outage when it is not UTF-8', async () => {
    const body = MACHINE_ANSWER.body.map((byte) => (byte === 'w'.charCodeAt(0) ? 0xff : byte));
    const lookups = lookupsOn(fakeCloud(() => ({ ...MACHINE_ANSWER, body })));
    await expect(lookups.virtualMachine(MACHINE, CONFIGURATION, signal)).rejects.toMatchObject({
      code: 'provider_unavailable',
    });
  });

  test.each([{}, { principalId: '' }, { principalId: null }, { principalId: 7 }])(
    'about an identity is an outage when it has the properties %j',
    async (properties) => {
      const lookups = lookupsOn(fakeCloud(() => answer(200, { id: 'x', location: 'westeurope', properties })));
      await expect(lookups.userAssignedIdentity(MACHINE, CONFIGURATION, signal)).rejects.toMatchObject({
        code: 'provider_unavailable',
      });
    },
  );

  test.each([301, 302, 307, 308])('with status %i is not followed', async (status) => {
    const transport = fakeCloud(() => answer(status, '', { location: 'https://manager.example/elsewhere' }));
    await expect(lookupsOn(transport).virtualMachine(MACHINE, CONFIGURATION, signal)).rejects.toMatchObject({
      code: 'provider_unavailable',
    });
    expect(transport.requests).toHaveLength(2);
  });
});
