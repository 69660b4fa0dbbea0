import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { CliProcess, runCli } from '../support/cli.js';

const RESOURCE = 'https://secrets.example.com';
const KEY_VARIABLE = 'CLOUD_IDENTITY_AUTH_STORAGE_KEY';
const ROOT_TOKEN = 'canary-root';

type Json = Readonly<Record<string, unknown>>;

let directory: string;
let data: string;
let keyFile: string;
let servers: CliProcess[];

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'cli-storage-'));
  data = join(directory, 'data');
  keyFile = writeKey('storage.key');
  servers = [];
});

afterEach(async () => {
  await Promise.all(servers.map((server) => server.kill()));
  rmSync(directory, { recursive: true });
});

function writeKey(name: string): string {
  const path = join(directory, name);
  writeFileSync(path, randomBytes(32).toString('base64'), { mode: 0o600 });
  return path;
}

const storedAt = (...more: string[]): string[] => [
  ...['server', '--storage', `file:${data}`, '--listen', '127.0.0.1:0'],
  ...more,
];
const stored = (...more: string[]): string[] => storedAt('--storage-key-file', keyFile, ...more);

function start(parameters: readonly string[], env?: Readonly<Record<string, string>>): CliProcess {
  const server = new CliProcess(parameters, env);
  servers.push(server);
  return server;
}

async function urlOf(server: CliProcess): Promise<string> {
  return (await server.prints(/^server ready at ([^\s,]+), method enabled/m))[1]!;
}

/** Calls a server as its administrator, or with another token. */
async function call(
  url: string,
  method: string,
  path: string,
  body?: Json,
  token = ROOT_TOKEN,
): Promise<[number, Json]> {
  const headers = { 'x-service-token': token };
  const answer = await fetch(`${url}/v1/${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  const text = await answer.text();
  return [answer.status, text === '' ? {} : (JSON.parse(text) as Json)];
}

describe('a server with its storage on disk', () => {
  let simulator: CliProcess;
  let cloud: string;

  beforeAll(async () => {
    cloud = mkdtempSync(join(tmpdir(), 'cli-cloud-'));
    simulator = new CliProcess(['simulator', '--directory', cloud]);
    await simulator.prints(/simulated cloud ready at/);
  });
  afterAll(async () => {
    await simulator.stop();
    rmSync(cloud, { recursive: true });
  });

  const fact = async (name: string): Promise<string> => (await simulator.prints(new RegExp(`^${name}=(.*)$`, 'm')))[1]!;
  const run = (): CliProcess =>
    // In this dialect, answers do not hold the client secret.
    start(stored('--root-token', ROOT_TOKEN, '--base-url', 'https://secrets.example.com/', '--dialect', 'vault'), {
      CLOUD_ENVIRONMENTS_FILE: join(cloud, 'environments.json'),
    });

  /** Everything that a restart must not change, except for tokens. */
  const state = async (url: string): Promise<Json> => {
    const paths = ['sys/auth', 'auth/team/eu/config', 'auth/team/eu/role/web', 'auth/team/eu/rotate-root'];
    const answers = await Promise.all(
      [...paths, 'identity/oidc/plugins/.well-known/keys'].map(
        async (path) => [path, await call(url, 'GET', path)] as const,
      ),
    );
    return Object.fromEntries(answers.map(([path, [status, body]]) => [path, [status, body['data'] ?? body]]));
  };

  test('keeps mounts, configuration, roles, rotation state, tokens and identity keys over SIGTERM and SIGKILL', async () => {
    let server = run();
    let url = await urlOf(server);
    const write = async (path: string, body?: Json): Promise<void> => {
      expect(await call(url, 'POST', path, body)).toEqual([204, {}]);
    };
    await write('sys/auth/team/eu', { type: 'cloud', description: 'Europe' });
    await write('auth/team/eu/config', {
      tenant_id: await fact('TENANT_ID'),
      resource: RESOURCE,
      client_id: await fact('CLIENT_ID'),
      client_secret: await fact('CLIENT_SECRET'),
      rotation_period: '90d',
    });
    await write('auth/team/eu/role/web', { bound_resource_groups: ['demo'], token_policies: ['web'] });
    await write('auth/team/eu/rotate-root');
    // The cloud confirms it, asked with the client secret.
    const logIn = async (): Promise<string> => {
      const { code, stdout } = await runCli([
        ...['login', '--address', url, '--mount', 'team/eu', '--role', 'web', '--resource', RESOURCE, '--vm'],
        ...['--metadata-url', await fact('WEB_METADATA_URL')],
      ]);
      expect(code).toBe(0);
      return stdout.trim();
    };
    const token = await logIn();
    const before = await state(url);
    expect(before).toMatchObject({
      'sys/auth': [200, { 'cloud/': {}, 'team/eu/': { description: 'Europe' } }],
      'auth/team/eu/rotate-root': [200, { state: 'idle', last_rotation_time: expect.any(String) }],
      'identity/oidc/plugins/.well-known/keys': [200, { keys: [expect.anything()] }],
    });

    for (const end of ['stop', 'kill'] as const) {
      await server[end]();
      server = run();
      url = await urlOf(server);
      expect(await state(url)).toEqual(before);
      const [status, lookup] = await call(url, 'GET', 'auth/token/lookup-self', undefined, token);
      expect([status, lookup]).toMatchObject([200, { data: { meta: { vm_name: 'web-1' } } }]);
      expect(await logIn()).not.toBe(token);
    }
    const [, discovery] = await call(url, 'GET', 'identity/oidc/plugins/.well-known/openid-configuration');
    expect(discovery).toMatchObject({ issuer: 'https://secrets.example.com/v1/identity/oidc/plugins' });

    const { code, stderr, stdout } = await server.stop();
    expect(code).toBe(0);
    for (const secret of [await fact('CLIENT_SECRET'), ROOT_TOKEN, token])
      expect(stdout + stderr).not.toContain(secret);
    expect(stdout + stderr).not.toContain(readFileSync(keyFile, 'utf8'));
  }, 60_000);

  test('enables the method only where nothing is enabled yet', async () => {
    const server = run();
    const url = await urlOf(server);
    await call(url, 'POST', 'auth/cloud/role/web', { bound_resource_groups: ['demo'] });
    const accessor = async (at: string): Promise<unknown> => (await call(at, 'GET', 'sys/auth/cloud'))[1]['data'];
    const before = await accessor(url);
    await server.stop();
    const next = await urlOf(run());
    expect(await accessor(next)).toEqual(before);
    expect((await call(next, 'GET', 'auth/cloud/role/web'))[0]).toBe(200);
  });
});

test('a root token that was made up is printed, and only then', async () => {
  const made = start(stored());
  const [, token = ''] = await made.prints(/, root token (\S+)$/m);
  expect(await call(await urlOf(made), 'GET', 'sys/auth', undefined, token)).toMatchObject([200, {}]);
  await made.stop();
  const given = start(stored('--root-token', ROOT_TOKEN));
  await given.prints(/^server ready at \S+, method enabled at auth\/cloud$/m);
});

test('the key may be in a variable', async () => {
  const server = start(storedAt(), { [KEY_VARIABLE]: 'ab'.repeat(32) });
  await urlOf(server);
  await server.stop();
  const { code, stderr } = await runCli(storedAt(), { [KEY_VARIABLE]: 'cd'.repeat(32) });
  expect([code, stderr]).toEqual([1, expect.stringContaining('marker does not open: the key is not the one')]);
});

describe('one line and exit 1', () => {
  const refused = async (
    parameters: readonly string[],
    text: RegExp,
    env?: Readonly<Record<string, string>>,
  ): Promise<void> => {
    const { code, stdout, stderr } = await runCli(parameters, env);
    expect(stderr).toMatch(text);
    expect([code, stdout, stderr.split('\n').length]).toEqual([1, '', 2]);
  };
  /** Makes the storage, and leaves it. */
  const made = async (): Promise<void> => {
    const server = start(stored());
    await urlOf(server);
    await server.stop();
  };

  test('without a place to keep things', () => refused(['server'], /give --storage file:<directory>, or --dev/));

  test.each([['data'], ['file:'], ['s3:bucket']])('for the location %j', (location) =>
    refused(
      ['server', '--storage', location, '--storage-key-file', keyFile],
      /--storage: got ".*"; takes file:<directory>/,
    ),
  );

  test('for --dev beside --storage, and nothing is made', async () => {
    await refused(stored('--dev'), /--dev keeps everything in memory: give either it or --storage/);
    expect(existsSync(data)).toBe(false);
  });

  test('for --dev beside a key', () =>
    refused(['server', '--dev', '--storage-key-file', keyFile], /--dev keeps everything in memory/));

  test('without a key', () =>
    refused(storedAt(), new RegExp(`storage key: the environment variable ${KEY_VARIABLE} .* not set`)));

  test('for a key that is none, which is not shown', async () => {
    const env = { [KEY_VARIABLE]: 'canary-key' };
    await refused(storedAt(), /it takes 32 bytes/, env);
    expect((await runCli(storedAt(), env)).stderr).not.toContain('canary');
  });

  test('for a key file that others may read', async () => {
    chmodSync(keyFile, 0o644);
    await refused(stored(), /its mode is 0644, and must be 0600 or stricter/);
  });

  test('for a wrong key', async () => {
    await made();
    await refused(
      storedAt('--storage-key-file', writeKey('other.key')),
      /marker does not open: the key is not the one/,
    );
  });

  test('for a damaged marker', async () => {
    await made();
    const marker = readFileSync(join(data, 'marker'));
    writeFileSync(
      join(data, 'marker'),
      marker.map((byte, index) => (index === marker.length - 1 ? byte ^ 1 : byte)),
    );
    await refused(stored(), /marker does not open: .* or the file is damaged/);
  });

  test('for a damaged file that the start needs, which is named', async () => {
    await made();
    const table = join(data, 'values', 'dcore', 'vmounts');
    writeFileSync(table, readFileSync(table).subarray(1));
    await refused(stored(), /"core\/mounts" \(file values\/dcore\/vmounts\) is damaged/);
  });

  test('for a directory in use, whose holder goes on', async () => {
    const server = start(stored('--root-token', ROOT_TOKEN));
    const url = await urlOf(server);
    await refused(stored(), /data is in use by another process/);
    expect((await call(url, 'GET', 'sys/auth'))[0]).toBe(200);
  });

  test.each([
    ['mount path', ['--mount', 'a/../b'], /path: takes/],
    ['base URL', ['--base-url', 'secrets'], /baseUrl: got "secrets"; takes a URL/],
    ['address', ['--listen', '192.0.2.1:0'], /does not have the address/],
  ])('for a %s that is none, and the storage can be used after', async (_, parameters, text) => {
    await refused(stored(...parameters), text);
    await made();
  });
});
