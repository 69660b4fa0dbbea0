import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { createBackend, KNOWN_ENVIRONMENTS } from '../../src/index.js';
import type { CloudEnvironment } from '../../src/index.js';
import { CONFIG, Mount, OBJECT } from '../paths/mount.js';
import { ManualClock } from '../support/clock.js';
import { fakeSystem } from '../support/fake-system.js';
import { recordingLogger } from '../support/logger.js';
import { refused } from '../support/refused.js';
import { WatchedStorage } from '../support/watched-storage.js';

const directory = mkdtempSync(join(tmpdir(), 'backend-'));
afterAll(() => rmSync(directory, { recursive: true }));

const MOON: CloudEnvironment = {
  name: 'CloudMoonCloud',
  aliases: ['AzureMoonCloud'],
  authorityHost: 'https://login.moon.example',
  resourceManagerEndpoint: 'https://management.moon.example',
  resourceManagerAudience: 'https://management.moon.example',
  graphEndpoint: 'https://graph.moon.example',
};

function fileOf(...environments: CloudEnvironment[]): Record<string, string> {
  const path = join(directory, 'environments.json');
  writeFileSync(path, JSON.stringify(environments));
  return { CLOUD_ENVIRONMENTS_FILE: path };
}

/** Where the directory answers when the configuration names this environment. */
async function authorityOf(mount: Mount, environment: string): Promise<string | undefined> {
  await mount.write('config', { ...CONFIG, environment });
  await mount.write('role/dev', { bound_service_principal_ids: [OBJECT] });
  await mount.login({ role: 'dev', jwt: 'canary-jwt' });
  return mount.validator.calls.at(-1)?.configuration.environment.authorityHost;
}

describe('environments', () => {
  test.each(
    KNOWN_ENVIRONMENTS.flatMap(({ name, aliases, authorityHost }) =>
      [name, ...aliases].map((spelling) => [spelling, authorityHost]),
    ),
  )('%s is known', async (spelling, authorityHost) => {
    expect(await authorityOf(new Mount(), spelling)).toBe(authorityHost);
  });

  test('of the option are added', async () => {
    const mount = new Mount({ environments: [MOON] });
    expect(await authorityOf(mount, 'AzureMoonCloud')).toBe(MOON.authorityHost);
    expect((await mount.read('config'))?.['environment']).toBe('CloudMoonCloud');
  });

  test('of the file are added, and lose against those of the option', async () => {
    const env = fileOf(MOON);
    expect(await authorityOf(new Mount({ env }), 'CloudMoonCloud')).toBe(MOON.authorityHost);
    const environments = [{ ...MOON, authorityHost: 'https://login.option.example' }];
    expect(await authorityOf(new Mount({ env, environments }), 'CloudMoonCloud')).toBe('https://login.option.example');
  });

  test('of a known name take its place, by whatever spelling', async () => {
    const replacement = { ...MOON, name: 'CloudPublicCloud', aliases: ['MoonBase'] };
    for (const mount of [new Mount({ environments: [replacement] }), new Mount({ env: fileOf(replacement) })]) {
      for (const spelling of ['', 'CloudPublicCloud', 'AzurePublicCloud', 'MoonBase'])
        expect(await authorityOf(mount, spelling)).toBe(MOON.authorityHost);
    }
  });

  test('are named by an error once each, with all their spellings', async () => {
    const mount = new Mount({ environments: [{ ...MOON, name: 'CloudPublicCloud' }] });
    await expect(mount.write('config', { ...CONFIG, environment: 'Sun' })).rejects.toMatchObject(
      refused(
        'invalid_request',
        'environment: got "Sun"; takes one of CloudPublicCloud, AzureMoonCloud, AzurePublicCloud, ' +
          'CloudUSGovernmentCloud, AzureUSGovernmentCloud, CloudChinaCloud, AzureChinaCloud, CloudGermanCloud, AzureGermanCloud',
        'environment',
      ),
    );
  });

  test('of a file that cannot be used make it fail at once', () => {
    expect(() => new Mount({ env: { CLOUD_ENVIRONMENTS_FILE: join(directory, 'missing.json') } })).toThrow(
      expect.objectContaining(refused('not_configured', /^environments file .*missing\.json: it cannot be read$/)),
    );
  });
});

describe('without options', () => {
  const backend = () =>
    createBackend({
      storage: new WatchedStorage(),
      system: fakeSystem({ product: 'Server/1.0' }),
      logger: recordingLogger(),
      clock: new ManualClock(),
    });
  const request = { id: 'request-1', path: 'config' };

  test('it speaks the dialect of the spec and comes with real modules', async () => {
    const method = backend();
    await method.handleRequest({
      ...request,
      operation: 'create',
      data: { ...CONFIG, client_secret: 'canary-secret' },
    });
    const answer = await method.handleRequest({ ...request, operation: 'read' });
    expect(answer?.data).toMatchObject({
      environment: 'CloudPublicCloud',
      client_secret: 'canary-secret',
      retry_delay: '4s',
    });
    await method.cleanup();
  });

  test('mounts share nothing', async () => {
    const [one, other] = [backend(), backend()];
    await one.handleRequest({ ...request, operation: 'update', data: CONFIG });
    expect(await other.handleRequest({ ...request, operation: 'read' })).toBeUndefined();
    await Promise.all([one.cleanup(), other.cleanup()]);
  });
});

describe('its life', () => {
  test('begins and ticks without a word to the storage', async () => {
    const mount = new Mount();
    await mount.backend.initialize();
    await mount.backend.periodic(mount.clock.now());
    expect(await mount.request('rollback', '')).toBeUndefined();
    expect(mount.storage.calls).toEqual([]);
  });

  test('ends once, however often it is ended', async () => {
    const mount = new Mount();
    await Promise.all([mount.backend.cleanup(), mount.backend.cleanup()]);
    await mount.backend.cleanup();
    expect([mount.validator.closed, mount.lookups.closed]).toEqual([1, 1]);
  });

  test('does not mind invalidations of keys that are not its own', async () => {
    const mount = new Mount();
    await mount.write('config', CONFIG);
    await mount.read('config');
    mount.storage.calls.length = 0;
    for (const key of ['', 'role', 'other', '__proto__', 'config/x']) mount.backend.invalidate(key);
    await mount.read('config');
    expect(mount.storage.calls).toEqual([]);
  });
});

test('the configuration is wrapped with the seal', () => {
  expect(new Mount().backend.specialPaths.sealWrapped).toContain('config');
});
