import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Auth } from '../../src/contract/index.js';
import { createMemoryHost } from '../../src/hosts/memory/index.js';
import type { MemoryHost } from '../../src/hosts/memory/index.js';
import { ManualClock } from '../support/clock.js';
import { FailingStorage } from '../support/failing-storage.js';
import { fakeBackend } from '../support/fake-backend.js';
import type { FakeBackend } from '../support/fake-backend.js';
import { recordingLogger } from '../support/logger.js';

let storage: FailingStorage;
let clock: ManualClock;
let backend: FakeBackend;
let logger: ReturnType<typeof recordingLogger>;
let host: MemoryHost;

/** Starts the next process on the same storage. The one before just stops, as in a crash. */
async function restart(): Promise<void> {
  await host.close();
  host = await createMemoryHost({ factory: backend.factory, storage, clock, logger });
}

beforeEach(async () => {
  storage = new FailingStorage();
  clock = new ManualClock();
  backend = fakeBackend();
  logger = recordingLogger();
  host = await createMemoryHost({ factory: backend.factory, storage, clock, logger });
});
afterEach(async () => {
  storage.failing.clear();
  await host.close();
});

const login = async (grant: Partial<Auth> = {}): Promise<string> => {
  backend.grant = grant;
  return (await host.login({ jwt: 'canary-good' })).clientToken;
};
const works = async (token: string): Promise<boolean> => {
  try {
    await host.read('/auth/token/lookup-self', { token });
    return true;
  } catch (error) {
    expect(error).toMatchObject({ code: 'permission_denied' });
    return false;
  }
};

describe('a restart', () => {
  it('keeps mounts with their data and tuning', async () => {
    await host.write('role/dev', { policies: ['a'] });
    await host.write('/sys/auth/team/eu', { type: 'cloud', options: { a: 'b' } });
    await host.write('/sys/auth/cloud/tune', { max_lease_ttl: '1h', description: 'Tuned' });
    const before = (await host.read('/sys/auth'))?.data;
    await restart();
    expect((await host.read('/sys/auth'))?.data).toEqual(before);
    expect((await host.read('role/dev'))?.data).toEqual({ policies: ['a'] });
  });

  it('keeps tokens, their uses, times, children and what renewal needs', async () => {
    const counted = await login({ numUses: 3 });
    const timed = await login({ ttl: 60, internalData: { role: 'web' } });
    const parent = await login({ policies: ['admin'] });
    const child = (await host.write('/auth/token/create', {}, { token: parent }))?.auth?.clientToken ?? '';
    expect(await works(counted)).toBe(true);
    clock.advance(30_000);
    await host.renew(timed);
    await restart();
    expect([await works(counted), await works(counted), await works(counted)]).toEqual([true, true, false]);
    clock.advance(59_000);
    expect(await works(timed)).toBe(true);
    await host.renew(timed);
    expect(backend.requests.at(-1)).toMatchObject({ auth: { internalData: { role: 'web' } } });
    await host.revoke(parent);
    expect(await works(child)).toBe(false);
  });

  it('brings back nothing that has ended', async () => {
    const revoked = await login();
    const expired = await login({ ttl: 10 });
    const used = await login({ numUses: 1 });
    const kept = await login();
    await host.revoke(revoked);
    expect(await works(used)).toBe(true);
    clock.advance(10_000);
    await restart();
    for (const token of [revoked, expired, used]) expect(await works(token)).toBe(false);
    expect(await works(kept)).toBe(true);
    expect(await storage.list('token/')).toHaveLength(1);
  });

  it('drops batch tokens and the root token before it', async () => {
    const batch = await login({ tokenType: 'batch' });
    const { rootToken } = host;
    await restart();
    expect(await works(batch)).toBe(false);
    expect(await works(rootToken)).toBe(false);
  });

  it('drops tokens and data whose mount went away without them', async () => {
    await host.write('/sys/auth/other', { type: 'cloud' });
    await host.write('/auth/other/role/dev', {});
    backend.grant = {};
    const { auth } = (await host.write('/auth/other/login', { jwt: 'canary-good' })) ?? {};
    storage.failing.add('delete');
    await host.delete('/sys/auth/other');
    storage.failing.clear();
    expect(await works(auth?.clientToken ?? '')).toBe(false);
    expect(logger.lines.filter(({ level }) => level === 'error')).not.toHaveLength(0);
    expect([await storage.list('mount/'), await storage.list('token/')].map((names) => names.length)).toEqual([2, 1]);
    await restart();
    expect(await works(auth?.clientToken ?? '')).toBe(false);
    expect([await storage.list('mount/'), await storage.list('token/')].map((names) => names.length)).toEqual([1, 0]);
  });
});

describe('storage', () => {
  it('never holds a token', async () => {
    const token = await login();
    const [name = ''] = await storage.list('token/');
    const record = new TextDecoder().decode(await storage.get(`token/${name}`));
    expect(name).toMatch(/^[\w-]{43}$/);
    expect(record).not.toContain(token.slice(2));
    expect(storage.calls.join()).not.toContain(token.slice(2));
  });

  it('is not read for looking a token up', async () => {
    const token = await login();
    storage.calls.length = 0;
    expect(await works(token)).toBe(true);
    expect(storage.calls).toEqual([]);
  });

  it('is emptied of tokens that have expired', async () => {
    await login({ ttl: 10 });
    await login({ ttl: 20 });
    clock.advance(10_000);
    await host.tick();
    expect(await storage.list('token/')).toHaveLength(1);
    expect(backend.ticks).toBe(1);
  });
});

describe('a slow storage', () => {
  it('lets no token outlive a parent that ended while it was written', async () => {
    const parent = await login({ policies: ['admin'] });
    let release: () => void = () => undefined;
    storage.gate = new Promise<void>((resolve) => (release = resolve));
    const child = host.write('/auth/token/create', {}, { token: parent });
    const refused = expect(child).rejects.toMatchObject({ code: 'permission_denied' });
    while (storage.calls.at(-1)?.startsWith('put') !== true) await setImmediate();
    const revoked = host.revoke(parent);
    while (await works(parent)) await setImmediate();
    release();
    await refused;
    await revoked;
    expect(await storage.list('token/')).toEqual([]);
  });

  it('brings back no token that was used up while an earlier use was written', async () => {
    const token = await login({ numUses: 3 });
    const [first, second, third, fourth] = [works(token), works(token), works(token), works(token)];
    expect(await Promise.all([first, second, third, fourth])).toEqual([true, true, true, false]);
    expect(await storage.list('token/')).toEqual([]);
  });
});

describe('a failing storage', () => {
  const failing = { code: 'storage_failed', status: 500 };

  it('gives no token', async () => {
    storage.failing.add('put');
    await expect(login()).rejects.toMatchObject(failing);
  });

  it('enables, tunes and disables nothing', async () => {
    storage.failing.add('put');
    await expect(host.write('/sys/auth/other', { type: 'cloud' })).rejects.toThrow();
    await expect(host.write('/sys/auth/cloud/tune', { max_lease_ttl: 60 })).rejects.toMatchObject(failing);
    await expect(host.delete('/sys/auth/cloud')).rejects.toMatchObject(failing);
    storage.failing.clear();
    expect(Object.keys((await host.read('/sys/auth'))?.data ?? {})).toEqual(['cloud/']);
    expect((await host.read('/sys/auth/cloud/tune'))?.data).toMatchObject({ max_lease_ttl: 2_764_800 });
    expect(await works(await login())).toBe(true);
  });

  it('revokes nothing, and says so', async () => {
    const parent = await login({ policies: ['admin'] });
    const child = (await host.write('/auth/token/create', {}, { token: parent }))?.auth?.clientToken ?? '';
    storage.failing.add('delete');
    await expect(host.revoke(parent)).rejects.toMatchObject(failing);
    expect([await works(parent), await works(child)]).toEqual([true, true]);
    storage.failing.clear();
    await host.revoke(parent);
    expect([await works(parent), await works(child)]).toEqual([false, false]);
  });

  it('serves no request whose use it cannot count', async () => {
    const token = await login({ numUses: 2 });
    storage.failing.add('put');
    await expect(host.read('/auth/token/lookup-self', { token })).rejects.toMatchObject(failing);
    storage.failing.clear();
    storage.failing.add('delete');
    await expect(host.read('/auth/token/lookup-self', { token })).rejects.toMatchObject(failing);
    expect(await works(token)).toBe(false);
  });

  it('prolongs nothing', async () => {
    const token = await login({ ttl: 60 });
    clock.advance(30_000);
    storage.failing.add('put');
    await expect(host.renew(token)).rejects.toMatchObject(failing);
    expect(await host.lookup(token)).toMatchObject({ ttl: 30 });
  });

  it('lets no server start, and leaves no backend behind', async () => {
    storage.failing.add('get');
    const setup = { factory: backend.factory, storage, clock, logger };
    await expect(createMemoryHost(setup)).rejects.toMatchObject(failing);
    storage.failing.clear();
    storage.failing.add('list');
    await expect(createMemoryHost(setup)).rejects.toMatchObject(failing);
    storage.failing.clear();
    await expect(createMemoryHost({ ...setup, mount: 'token' })).rejects.toMatchObject({ code: 'invalid_request' });
    backend.refuseStart = new TypeError('no');
    await expect(createMemoryHost(setup)).rejects.toThrow('no');
    backend.refuseStart = undefined;
    expect(backend.services.length - backend.cleanups).toBe(1);
  });
});
