import { inspect } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createApplicationPasswords } from '../../src/cloud/index.js';
import type { ApplicationPasswords, CloudConfiguration, OutboundTransport } from '../../src/contract/index.js';
import { startSimulator } from '../../src/simulator/index.js';
import type { Application, Simulator } from '../../src/simulator/index.js';
import { createTransport, loggedTransport } from '../../src/transport/index.js';
import { recordingLogger } from '../support/logger.js';
import { SYSTEM_CLOCK } from './fakes.js';

const DAY = 86_400_000;
const NAME = 'cloud-identity-auth-1';

let now = Date.now();
let cloud: Simulator;
let application: Application;
let transport: OutboundTransport;
let passwords: ApplicationPasswords;
let logger: ReturnType<typeof recordingLogger>;

beforeAll(async () => {
  cloud = await startSimulator({ now: () => now });
  transport = createTransport({ userAgent: 'cloud-identity-auth/test' });
});

beforeEach(() => {
  now = Date.now();
  application = cloud.addApplication();
  logger = recordingLogger();
  // Everything is logged: whatever is a secret shows in the suite's search for them.
  passwords = createApplicationPasswords({
    transport: loggedTransport(transport, logger),
    clock: SYSTEM_CLOCK,
    logger,
  });
  cloud.resetCalls();
});

afterAll(async () => {
  await transport.close();
  await cloud.close();
});

const patience = (): AbortSignal => AbortSignal.timeout(15_000);

function configuration(changes: Partial<CloudConfiguration> = {}): CloudConfiguration {
  const { clientId, clientSecret } = application;
  const { tenantId, environment } = cloud;
  const retries = { maxAttempts: 2, retryDelay: 0.01, maxRetryDelay: 0.02 };
  return { tenantId, resource: 'api://service', environment, clientId, clientSecret, ...retries, ...changes };
}

const add = (settings = configuration()): ReturnType<ApplicationPasswords['add']> =>
  passwords.add(NAME, now + DAY, settings, patience());
const graphCalls = (method: string): number => cloud.calls({ service: 'graph', method }).length;

describe('adding', () => {
  test('gives key id, secret and end, and the directory has it under its name', async () => {
    const added = await add();
    const [, made] = application.passwords.current;
    expect(made).toMatchObject({ displayName: NAME, keyId: added.keyId, expiresAt: now + DAY });
    expect(added).toEqual({ keyId: made!.keyId, secret: made!.secretText, expiresAt: now + DAY });
    const text = inspect(logger.lines, { depth: 9 });
    expect(text).toContain('"hint":"[redacted]"');
    expect(text).toContain('"secretText":"[redacted]"');
  });

  test('is sent once, whatever becomes of the answer', async () => {
    const fault = cloud.fail({ service: 'graph', method: 'POST', lost: true });
    await expect(add()).rejects.toMatchObject({ code: 'provider_unavailable' });
    fault.remove();
    expect(graphCalls('POST')).toBe(1);
    expect(application.passwords.current.map(({ displayName }) => displayName)).toEqual([undefined, NAME]);
  });

  test.each([429, 500, 503])('is sent once when it is answered with %i', async (status) => {
    const fault = cloud.fail({ service: 'graph', method: 'POST', status, headers: { 'retry-after': '7' } });
    await expect(add()).rejects.toMatchObject({ code: 'provider_unavailable', retryAfter: 7 });
    fault.remove();
    expect(graphCalls('POST')).toBe(1);
  });

  test('repeats the request for a token, which adds nothing', async () => {
    cloud.fail({ service: 'authority', status: 503, times: 1 });
    await add();
    expect(application.passwords.current).toHaveLength(2);
  });

  test('takes a fresh token when the first was revoked', async () => {
    const settings = configuration();
    await passwords.list(settings, patience());
    cloud.revokeTokens();
    await add(settings);
    expect(application.passwords.current).toHaveLength(2);
    expect(cloud.calls({ service: 'authority' })).toHaveLength(2);
  });

  test('is refused to whom the directory does not let change itself', async () => {
    application = cloud.addApplication({ mayManage: () => false });
    await expect(add()).rejects.toMatchObject({
      code: 'not_configured',
      message: 'The configured client_id may not change the credentials of its application in the directory.',
    });
  });

  test('is an outage when the answer cannot be read, or holds no secret', async () => {
    const keyId = '00000000-0000-0000-0000-000000000001';
    const unsafe = { keyId: '../config', secretText: 'canary-x' };
    for (const body of ['', '{', [], {}, { keyId }, { keyId, secretText: '' }, { secretText: 'canary-x' }, unsafe]) {
      const fault = cloud.fail({ service: 'graph', method: 'POST', status: 200, body });
      await expect(add()).rejects.toMatchObject({ code: 'provider_unavailable' });
      fault.remove();
    }
  });

  test('ends with its signal', async () => {
    const fault = cloud.fail({ service: 'graph', method: 'POST', hang: true });
    const given = new AbortController();
    const added = passwords.add(NAME, now + DAY, configuration(), given.signal);
    while (graphCalls('POST') === 0) await new Promise(setImmediate);
    given.abort();
    await expect(added).rejects.toMatchObject({ code: 'provider_unavailable' });
    fault.remove();
  });
});

describe('listing', () => {
  test('tells all but the secrets', async () => {
    application.passwords.add({ displayName: 'by hand', secretText: 'xyz~canary-by-hand', expiresAt: now + DAY });
    expect(await passwords.list(configuration(), patience())).toEqual([
      { keyId: application.passwords.current[0]!.keyId, hint: 'can', expiresAt: expect.any(Number) },
      {
        keyId: application.passwords.current[1]!.keyId,
        displayName: 'by hand',
        hint: 'xyz',
        expiresAt: now + DAY,
      },
    ]);
  });

  test('shows late what was added', async () => {
    application.passwords.setDelays({ listDelay: 60_000 });
    const { keyId } = await add();
    const keyIds = async (): Promise<string[]> =>
      (await passwords.list(configuration(), patience())).map((credential) => credential.keyId);
    expect(await keyIds()).not.toContain(keyId);
    now += 60_000;
    expect(await keyIds()).toContain(keyId);
  });

  test('is repeated through throttling and lost answers', async () => {
    for (const fault of [{ status: 429, headers: { 'retry-after': '0' } }, { lost: true }]) {
      cloud.fail({ service: 'graph', times: 1, ...fault });
      expect(await passwords.list(configuration(), patience())).toHaveLength(1);
    }
  });

  test('of an application that is gone is not possible', async () => {
    const settings = configuration();
    await passwords.list(settings, patience());
    cloud.removeApplication(application);
    await expect(passwords.list(settings, patience())).rejects.toMatchObject({ code: 'not_found' });
  });

  test('shares one token among many, for one configuration', async () => {
    const settings = configuration();
    await Promise.all(Array.from({ length: 20 }, () => passwords.list(settings, patience())));
    expect(cloud.calls({ service: 'authority' })).toHaveLength(1);
    await passwords.list(configuration(), patience());
    expect(cloud.calls({ service: 'authority' })).toHaveLength(2);
  });

  test.each([{ passwordCredentials: {} }, { passwordCredentials: [{}] }, { passwordCredentials: [null] }, [], 'x'])(
    'is an outage when the answer is %j',
    async (body) => {
      const fault = cloud.fail({ service: 'graph', status: 200, body });
      await expect(passwords.list(configuration(), patience())).rejects.toMatchObject({ code: 'provider_unavailable' });
      fault.remove();
    },
  );
});

describe('removing', () => {
  const remove = (keyId: string, settings = configuration()): Promise<boolean> =>
    passwords.remove(keyId, settings, patience());

  test('tells that it was there, and the second time that it is not', async () => {
    const { keyId } = await add();
    expect(await remove(keyId.toUpperCase())).toBe(true);
    expect(application.passwords.current).toHaveLength(1);
    expect(await remove(keyId)).toBe(false);
  });

  test('tells no success while the directory does not see it yet', async () => {
    application.passwords.setDelays({ removableDelay: 60_000, listDelay: 60_000 });
    const { keyId } = await add();
    expect(await remove(keyId)).toBe(false);
    now += 60_000;
    expect(await remove(keyId)).toBe(true);
  });

  test('fails while one part of the directory sees it and another does not', async () => {
    application.passwords.setDelays({ removableDelay: 60_000 });
    const { keyId } = await add();
    await expect(remove(keyId)).rejects.toMatchObject({ code: 'provider_unavailable' });
    now += 60_000;
    expect(await remove(keyId)).toBe(true);
  });

  test('whose answer is lost is tried again, and found done', async () => {
    const { keyId } = await add();
    cloud.fail({ service: 'graph', path: /removePassword/, lost: true, times: 1 });
    expect(await remove(keyId)).toBe(false);
    expect(application.passwords.current).toHaveLength(1);
  });

  test('is repeated through throttling', async () => {
    const { keyId } = await add();
    cloud.fail({ service: 'graph', path: /removePassword/, status: 429, headers: { 'retry-after': '0' }, times: 1 });
    expect(await remove(keyId)).toBe(true);
  });

  test('fails during an outage while it is still there', async () => {
    const { keyId } = await add();
    const fault = cloud.fail({ service: 'graph', path: /removePassword/, status: 503 });
    await expect(remove(keyId)).rejects.toMatchObject({ code: 'provider_unavailable' });
    fault.remove();
    expect(application.passwords.current).toHaveLength(2);
  });

  test('fails when the directory cannot be asked at all', async () => {
    const fault = cloud.fail({ service: 'graph', reset: true });
    await expect(remove(application.passwords.current[0]!.keyId)).rejects.toMatchObject({
      code: 'provider_unavailable',
    });
    fault.remove();
  });

  test('that is refused is not taken for one of what is not there', async () => {
    application = cloud.addApplication({ mayManage: () => false });
    await expect(remove('11111111-1111-1111-1111-111111111111')).rejects.toMatchObject({ code: 'not_configured' });
  });

  test('from an application that is gone is not possible', async () => {
    const settings = configuration();
    await passwords.list(settings, patience());
    cloud.removeApplication(application);
    const removed = remove('11111111-1111-1111-1111-111111111111', settings);
    await expect(removed).rejects.toMatchObject({ code: 'not_configured' });
  });
});

describe('trying a secret', () => {
  const accepts = (clientSecret: string): Promise<boolean> =>
    passwords.accepts(configuration({ clientSecret }), patience());

  test('tells when the directory has come to accept it', async () => {
    application.passwords.setDelays({ secretAcceptanceDelay: 60_000 });
    const { secret } = await add();
    expect(await accepts(secret)).toBe(false);
    now += 60_000;
    expect(await accepts(secret)).toBe(true);
    expect(logger.lines.filter(({ level }) => level !== 'debug')).toEqual([]);
  });

  test('asks anew each time', async () => {
    const settings = configuration();
    expect(await passwords.accepts(settings, patience())).toBe(true);
    application.passwords.remove(application.passwords.current[0]!.keyId);
    expect(await passwords.accepts(settings, patience())).toBe(false);
  });

  test.each([{ status: 503 }, { status: 429 }, { reset: true }, { garbage: true }])(
    'tells nothing when the directory answers with %j',
    async (fault) => {
      const handle = cloud.fail({ service: 'authority', ...fault });
      await expect(accepts(application.clientSecret)).rejects.toMatchObject({ code: 'provider_unavailable' });
      handle.remove();
    },
  );

  test('ends with its signal', async () => {
    const fault = cloud.fail({ service: 'authority', hang: true });
    const given = new AbortController();
    const accepted = passwords.accepts(configuration(), given.signal);
    while (cloud.calls({ service: 'authority' }).length === 0) await new Promise(setImmediate);
    given.abort();
    await expect(accepted).rejects.toMatchObject({ code: 'provider_unavailable' });
    fault.remove();
  });
});

describe('a client id', () => {
  test.each(['client', "x')/owners?", '11111111-1111-1111-1111-11111111111', '', '{guid}'])(
    'such as %j never gets into a path',
    async (clientId) => {
      const settings = configuration({ clientId });
      const refused = { code: 'invalid_request', field: 'client_id' };
      await expect(passwords.list(settings, patience())).rejects.toMatchObject(refused);
      await expect(passwords.add(NAME, now + DAY, settings, patience())).rejects.toMatchObject(refused);
      await expect(passwords.remove('a', settings, patience())).rejects.toMatchObject(refused);
      expect(cloud.calls()).toEqual([]);
    },
  );
});
