import { afterEach, describe, expect, test } from '@jest/globals';
import { createRemoteJWKSet, decodeProtectedHeader, jwtVerify } from 'jose';
import type { IdentityToken, System } from '../../src/contract/index.js';
import { createHttpHost } from '../../src/hosts/http/index.js';
import type { HttpHost, HttpHostOptions } from '../../src/hosts/http/index.js';
import { createMemoryHost } from '../../src/hosts/memory/index.js';
import { MemoryStorage } from '../../src/storage/index.js';
import { ManualClock } from '../support/clock.js';
import { FailingStorage } from '../support/failing-storage.js';
import { fakeBackend } from '../support/fake-backend.js';
import { recordingLogger } from '../support/logger.js';

const HOUR = 3_600_000;
const hosts: HttpHost[] = [];

afterEach(async () => {
  await Promise.all(hosts.splice(0).map((host) => host.close()));
});

interface Server {
  readonly url: string;
  readonly issuer: string;
  readonly system: System;
  readonly issue: (audience?: string, ttl?: number) => Promise<IdentityToken>;
  /** Verifies as a directory does: through what the issuer publishes. */
  readonly verify: (token: string, audience?: string) => ReturnType<typeof jwtVerify>;
  readonly keyIds: () => Promise<string[]>;
}

async function start(clock: ManualClock, options: Partial<HttpHostOptions> = {}): Promise<Server> {
  const fake = fakeBackend();
  const host = await createHttpHost({
    factories: { cloud: fake.factory },
    mounts: [{ path: 'cloud', type: 'cloud' }],
    logger: recordingLogger(),
    clock,
    ...options,
  });
  hosts.push(host);
  const { url } = await host.listen();
  const { system } = fake.services[0] ?? {};
  if (system?.generateIdentityToken === undefined) throw new Error('the host signs no identity tokens');
  const issuer = `${options.baseUrl ?? url}/v1/identity/oidc/plugins`;
  const published = `${url}/v1/identity/oidc/plugins/.well-known`;
  return {
    url,
    issuer,
    system,
    issue: (audience = 'api://exchange', ttl = 3_600) =>
      (system as Required<System>).generateIdentityToken(audience, ttl),
    verify: async (token, audience = 'api://exchange') => {
      const keys = createRemoteJWKSet(new URL(`${published}/keys`));
      return jwtVerify(token, keys, { issuer, audience, algorithms: ['RS256'], currentDate: new Date(clock.now()) });
    },
    keyIds: async () => {
      const { keys } = (await (await fetch(`${published}/keys`)).json()) as { keys: { kid: string }[] };
      return keys.map(({ kid }) => kid);
    },
  };
}

describe('plugin identity tokens', () => {
  test('say which mount of which server they are for, and how long', async () => {
    const clock = new ManualClock();
    const { issue, verify, system, issuer } = await start(clock);
    const { token, ttl } = await issue('api://exchange', 600);
    const { payload } = await verify(token);
    const now = clock.now() / 1000;
    expect(ttl).toBe(600);
    expect(payload).toMatchObject({
      iss: issuer,
      sub: `plugin-identity:root:auth:${system.mountAccessor}`,
      aud: 'api://exchange',
      iat: now,
      exp: now + 600,
    });
    await expect(verify(token, 'api://other')).rejects.toThrow('aud');
  });

  test('are found out about from the issuer', async () => {
    const { url, issuer } = await start(new ManualClock());
    const answer = await fetch(`${url}/v1/identity/oidc/plugins/.well-known/openid-configuration`);
    expect(await answer.json()).toMatchObject({ issuer, jwks_uri: `${issuer}/.well-known/keys` });
    const posted = await fetch(`${url}/v1/identity/oidc/plugins/.well-known/keys`, { method: 'POST' });
    expect(posted.status).toBe(405);
    expect((await fetch(`${url}/v1/identity/oidc/plugins/.well-known/other`)).status).toBe(404);
  });

  test('name the configured base URL as issuer', async () => {
    const { issue, verify } = await start(new ManualClock(), { baseUrl: 'https://secrets.example.com' });
    const { payload } = await verify((await issue()).token);
    expect(payload.iss).toBe('https://secrets.example.com/v1/identity/oidc/plugins');
  });

  test('live a day at most', async () => {
    const { issue } = await start(new ManualClock());
    expect((await issue('api://exchange', 9_000_000)).ttl).toBe(86_400);
  });

  test('outlive the change of keys: a successor is published before it signs, and a key stays while its tokens live', async () => {
    const clock = new ManualClock();
    const { issue, verify, keyIds } = await start(clock);
    const { token: first } = await issue('api://exchange', 86_400);
    const [firstKey = ''] = await keyIds();

    clock.advance(24 * HOUR);
    const announced = await keyIds();
    expect(announced).toHaveLength(2);
    const { token: between } = await issue('api://exchange', 86_400);
    expect(decodeProtectedHeader(between).kid).toBe(firstKey);

    clock.advance(HOUR);
    const { token: second } = await issue();
    expect(decodeProtectedHeader(second).kid).toBe(announced[0]);
    await verify(second);
    await verify(between);
    await expect(verify(first)).rejects.toThrow('exp');

    clock.advance(22 * HOUR);
    await verify(between);
    clock.advance(27 * HOUR);
    expect(await keyIds()).not.toContain(firstKey);
  });

  test('are verified with the same keys after a restart', async () => {
    const clock = new ManualClock();
    const storage = new MemoryStorage();
    const options = { storage, baseUrl: 'https://secrets.example.com' };
    const before = await start(clock, options);
    const { token } = await before.issue();
    await Promise.all(hosts.splice(0).map((host) => host.close()));
    const after = await start(clock, options);
    await after.verify(token);
    expect(await after.keyIds()).toEqual([decodeProtectedHeader(token).kid]);
  });

  test('keep private keys private', async () => {
    const { url, issue } = await start(new ManualClock());
    await issue();
    const text = await (await fetch(`${url}/v1/identity/oidc/plugins/.well-known/keys`)).text();
    for (const member of ['"d"', '"p"', '"q"', '"dp"', '"dq"', '"qi"']) expect(text).not.toContain(member);
  });

  test('concurrent first tokens make one key', async () => {
    const { issue, keyIds } = await start(new ManualClock());
    await Promise.all(Array.from({ length: 10 }, () => issue()));
    expect(await keyIds()).toHaveLength(1);
  });

  test('are not to be had from a host that nobody can reach', async () => {
    const fake = fakeBackend();
    const host = await createMemoryHost({ factory: fake.factory, logger: recordingLogger() });
    const system = fake.services[0]?.system as Required<System>;
    await expect(system.generateIdentityToken('api://exchange', 60)).rejects.toMatchObject({
      code: 'capability_missing',
    });
    await host.close();
  });

  test('go on with the keys that there are while storage fails', async () => {
    const clock = new ManualClock();
    const storage = new FailingStorage();
    const { issue, verify, keyIds } = await start(clock, { storage });
    const [first] = await keyIds();

    storage.failing.add('put');
    clock.advance(25 * HOUR);
    await verify((await issue()).token);
    storage.calls.splice(0);
    for (let reader = 0; reader < 20; reader++) expect(await keyIds()).toEqual([first]);
    expect(storage.calls).toEqual([]);

    storage.failing.delete('put');
    clock.advance(10_000);
    expect(await keyIds()).toEqual([expect.not.stringMatching(first!), first]);
    expect(decodeProtectedHeader((await issue()).token).kid).toBe(first);
    clock.advance(HOUR);
    expect(decodeProtectedHeader((await issue()).token).kid).not.toBe(first);
  });

  test('are not signed with a key that could not be stored', async () => {
    const storage = new FailingStorage();
    const { issue } = await start(new ManualClock(), { storage });
    storage.failing.add('put');
    await expect(issue()).rejects.toMatchObject({ code: 'storage_failed' });
    storage.failing.delete('put');
    expect((await issue()).ttl).toBe(3_600);
  });

  test.each([
    'secrets.example.com',
    'ftp://secrets.example.com',
    'https://user:pass@secrets.example.com',
    'https://a/?b',
  ])('base URL %s is refused', async (baseUrl) => {
    await expect(start(new ManualClock(), { baseUrl })).rejects.toThrow(/^baseUrl: .*takes a URL/);
  });
});
