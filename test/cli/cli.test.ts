import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { VERSION } from '../../src/version.js';
import { CliProcess, runCli } from '../support/cli.js';

const RESOURCE = 'https://secrets.example.com';

/** A URL on this machine where nobody listens. */
async function unusedUrl(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return `http://127.0.0.1:${port}`;
}

describe('help', () => {
  test('tells the version', async () => {
    expect(await runCli(['--version'])).toEqual({ code: 0, stdout: `${VERSION}\n`, stderr: '' });
  });

  test.each([[[]], [['demo']], [['server']], [['simulator']], [['login']], [['explain']]])(
    'of %j has examples',
    async (command) => {
      const { code, stdout } = await runCli([...command, '--help']);
      expect(code).toBe(0);
      expect(stdout).toMatch(/Examples?:\n {2}cloud-identity-auth /);
    },
  );
});

describe('misuse ends with one sentence and exit 1', () => {
  test.each([
    ['an unknown flag', ['server', '--dev', '--bogus'], /^error: unknown option '--bogus'\n$/],
    ['an unknown command', ['serve'], /^error: unknown command 'serve'\n/],
    [
      'a bad dialect',
      ['server', '--dev', '--dialect', 'x'],
      /^error: option '--dialect <name>' argument 'x' is invalid/,
    ],
    ['an address without port', ['server', '--dev', '--listen', '127.0.0.1'], /cannot listen on "127\.0\.0\.1": takes/],
    ['a host name', ['server', '--dev', '--listen', 'example.com:80'], /cannot listen on "example\.com:80": takes/],
    ['a huge port', ['simulator', '--listen', '127.0.0.1:65536'], /cannot listen on "127\.0\.0\.1:65536": takes/],
    ['a foreign address', ['server', '--dev', '--listen', '192.0.2.1:0'], /does not have the address/],
    ['a mount path that is none', ['server', '--dev', '--listen', '127.0.0.1:0', '--mount', 'a/../b'], /mount|path/],
    ['an empty root token', ['server', '--dev', '--listen', '127.0.0.1:0', '--root-token', ''], /rootToken: takes/],
    [
      'a root token with a blank',
      ['server', '--dev', '--listen', '127.0.0.1:0', '--root-token', 'a b'],
      /rootToken: takes/,
    ],
    [
      'a login without URL',
      ['login', '--address', 'secrets', '--role', 'web', '--resource', RESOURCE, '--metadata-url', 'x'],
      /--address: got "secrets"; takes a URL/,
    ],
    [
      'a field without value',
      ['login', '--address', 'http://127.0.0.1:1', '--role', 'web', '--resource', RESOURCE, '--field', 'x'],
      /--field: got "x"; takes name=value/,
    ],
  ])('%s', async (_, parameters, text) => {
    const { code, stderr, stdout } = await runCli(parameters);
    expect(stderr).toMatch(text);
    expect(stderr.trim().split('\n').length).toBeLessThanOrEqual(2);
    expect(stdout).toBe('');
    expect(code).toBe(1);
  });

  test('a port in use', async () => {
    const blocker = createServer().listen(0, '127.0.0.1');
    await once(blocker, 'listening');
    const address = `127.0.0.1:${(blocker.address() as AddressInfo).port}`;
    for (const command of [['server', '--dev'], ['simulator']]) {
      const { code, stderr } = await runCli([...command, '--listen', address]);
      expect([code, stderr]).toEqual([1, `cloud-identity-auth: cannot listen on ${address}: the port is in use\n`]);
    }
    blocker.close();
  });

  test('an environments file that is not there', async () => {
    const env = { CLOUD_ENVIRONMENTS_FILE: '/nowhere.json' };
    const { code, stderr } = await runCli(['server', '--dev', '--listen', '127.0.0.1:0'], env);
    expect([code, stderr]).toEqual([1, 'cloud-identity-auth: environments file /nowhere.json: it cannot be read\n']);
  });
});

test("an Arc machine's agent is on the machine itself, wherever the simulated cloud listens", async () => {
  const simulator = new CliProcess(['simulator', '--listen', '[::1]:0']);
  expect((await simulator.prints(/^FACTORY_IMDS_ENDPOINT=(.*)$/m))[1]).toMatch(/^http:\/\/127\.0\.0\.1:/);
  await simulator.prints(/^simulated cloud ready at https:\/\/\[::1\]/m);
  expect((await simulator.stop()).code).toBe(0);
});

describe('demo', () => {
  test('shows every step with its command, in plain text when piped', async () => {
    const { code, stdout, stderr } = await runCli(['demo']);
    expect(stderr).toBe('');
    expect(code).toBe(0);
    expect(stdout.match(/^\d+\. /gm)).toHaveLength(10);
    expect(stdout.match(/\$ .*curl -s/g)).toHaveLength(7);
    expect(stdout).toContain('refused (403): the token does not come from the virtual machine named by vm_name');
    expect(stdout).not.toContain('\u001b');
  });

  test('shows each kind of machine log in by the right field, and none of them as another', async () => {
    const { stdout } = await runCli(['demo']);
    const step = stdout.slice(stdout.indexOf('\n10. '));
    expect(
      [...step.matchAll(/^ {3}(?:an?|the) (.+), by (\w+|its client id): a service token/gm)].map((match) =>
        match.slice(1),
      ),
    ).toEqual([
      [expect.stringMatching(/^instance frontend_\w+ of a uniform scale set$/), 'vmss_name'],
      [expect.stringMatching(/^machine workers_\w+ of a flexible scale set$/), 'vmss_name'],
      ['web app shop', 'resource_id'],
      ['function app orders', 'resource_id'],
      ['container group report', 'resource_id'],
      ['Arc machine factory', 'resource_id'],
      ['federated pod with the identity pod-identity', 'its client id'],
    ]);
    expect(step.match(/^ {5}as .+: refused \(403\): the token /gm)).toHaveLength(7);
  });

  test('with --keep leaves the server running, and its commands work', async () => {
    const demo = new CliProcess(['demo', '--keep']);
    const [, rootToken = ''] = await demo.prints(/ROOT_TOKEN='([^']+)'/);
    const [, url = ''] = await demo.prints(/ready at (http:\S+)/);
    const roles = await fetch(`${url}/v1/auth/cloud/role?list=true`, { headers: { 'X-Service-Token': rootToken } });
    expect(await roles.json()).toMatchObject({ data: { keys: ['web'] } });
    expect((await demo.stop()).code).toBe(0);
  });
});

describe('demo --rotate', () => {
  test('shows a rotation that no login notices', async () => {
    const { code, stdout, stderr } = await runCli(['demo', '--rotate']);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout.match(/^\d+\. /gm)).toHaveLength(8);
    expect(stdout).toMatch(/200 with a warning: The directory has not accepted the new client secret yet\./);
    expect(stdout).toMatch(/ the operator's secret is still in use\n/);
    expect(stdout).toMatch(/swapped: the new secret is in use\n/);
    expect(stdout).toMatch(/ no stray one is left:\n +the only one is cloud-identity-auth-[0-9a-f-]{36}\n/);
    expect(stdout).toMatch(/last_rotation_time is 20\d\d-/);
    expect(stdout).toMatch(/\n +\d{2,} logins, 0 failed\n$/);
    expect(stdout).not.toMatch(/canary-|\u001b/);
    // The directory takes its time.
  }, 60_000);

  test.each([['--keep'], ['--attack']])('is not for %s', async (other) => {
    const { code, stdout, stderr } = await runCli(['demo', '--rotate', other]);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toBe(`error: option '--rotate' cannot be used with option '${other}'\n`);
  });
});

describe('server and login', () => {
  let directory: string;
  let simulator: CliProcess;
  let server: CliProcess;
  let url: string;
  let adminToken: string;
  let metadataUrl: string;

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'cli-'));
    simulator = new CliProcess(['simulator', '--directory', directory]);
    await simulator.prints(/simulated cloud ready at/);
    const fact = async (name: string): Promise<string> =>
      (await simulator.prints(new RegExp(`^${name}=(.*)$`, 'm')))[1]!;
    metadataUrl = await fact('WEB_METADATA_URL');

    const environment = { CLOUD_ENVIRONMENTS_FILE: join(directory, 'environments.json') };
    server = new CliProcess(['server', '--dev', '--listen', '127.0.0.1:0', '--mount', 'machines'], environment);
    const [, address = '', rootToken = ''] = await server.prints(
      /^server ready at (\S+), method enabled at auth\/machines, root token (\S+)$/m,
    );
    url = address;
    adminToken = rootToken;
    const write = async (path: string, body: object): Promise<void> => {
      const headers = { authorization: `Bearer ${rootToken}` };
      const answer = await fetch(`${url}/v1/auth/machines/${path}`, {
        method: 'POST',
        headers,
        body: JSON.stringify(body),
      });
      expect(answer.status).toBe(204);
    };
    await write('config', {
      tenant_id: await fact('TENANT_ID'),
      resource: RESOURCE,
      client_id: await fact('CLIENT_ID'),
      client_secret: await fact('CLIENT_SECRET'),
    });
    await write('role/web', { bound_resource_groups: ['demo'], token_policies: ['web'] });
  });

  afterAll(async () => {
    expect((await server.stop()).code).toBe(0);
    expect((await simulator.stop()).code).toBe(0);
    rmSync(directory, { recursive: true });
  });

  const parameters = (): string[] => [
    'login',
    '--address',
    url,
    '--mount',
    'machines',
    '--role',
    'web',
    '--resource',
    RESOURCE,
  ];
  const login = (...more: string[]): Promise<Awaited<ReturnType<typeof runCli>>> => runCli([...parameters(), ...more]);

  test('a machine logs in and gets its token printed', async () => {
    const { code, stdout, stderr } = await login('--metadata-url', metadataUrl, '--vm');
    expect([code, stderr]).toEqual([0, '']);
    const lookup = await fetch(`${url}/v1/auth/token/lookup-self`, { headers: { 'X-Service-Token': stdout.trim() } });
    expect(await lookup.json()).toMatchObject({ data: { meta: { vm_name: 'web-1', role: 'web' } } });
  });

  test('or the whole answer', async () => {
    const { stdout } = await login('--metadata-url', metadataUrl, '--vm', '--format', 'json');
    expect(JSON.parse(stdout)).toMatchObject({ auth: { policies: ['default', 'web'], token_type: 'service' } });
  });

  /** What a workload of the simulated cloud finds in its environment. */
  const environmentOf = async (workload: string): Promise<Record<string, string>> => {
    const [printed] = await simulator.prints(/^[^]*simulated cloud ready at/);
    const facts = [...printed.matchAll(new RegExp(`^${workload}_(\\w+)=(.*)$`, 'gm'))];
    return Object.fromEntries(facts.map(([, name, value]) => [name!, value!]));
  };

  test.each([
    ['a web app', 'SHOP', /\/sites\/shop$/],
    ['a function', 'ORDERS', /\/sites\/orders$/],
    ['an Arc machine', 'FACTORY', /\/Microsoft\.HybridCompute\/machines\/factory$/],
  ])('%s logs in by what its environment says', async (_, workload, id) => {
    const { KEY_DIRECTORY: directory, ...env } = await environmentOf(workload);
    const keys = directory === undefined ? [] : ['--key-directory', directory];
    const { code, stdout, stderr } = await runCli([...parameters(), '--vm', '--format', 'json', ...keys], env);
    expect([code, stderr]).toEqual([0, '']);
    expect(JSON.parse(stdout)).toMatchObject({ auth: { metadata: { resource_id: expect.stringMatching(id) } } });
  });

  test('an instance of a scale set logs in by what its metadata service says', async () => {
    const { code, stdout } = await runCli(
      [...parameters(), '--vm', '--format', 'json'],
      await environmentOf('FRONTEND'),
    );
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ auth: { metadata: { vmss_name: 'frontend' } } });
  });

  test('--metadata-url wins over the environment', async () => {
    const { code, stdout } = await runCli(
      [...parameters(), '--vm', '--format', 'json', '--metadata-url', metadataUrl],
      await environmentOf('SHOP'),
    );
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ auth: { metadata: { vm_name: 'web-1' } } });
  });

  test("an Arc machine's keys are looked for where its agent keeps them, unless another place is named", async () => {
    const { KEY_DIRECTORY: directory, ...env } = await environmentOf('FACTORY');
    const { code, stderr } = await runCli([...parameters(), '--vm'], env);
    expect(code).toBe(1);
    expect(stderr).toContain(`asks for ${directory}/`);
    expect(stderr).toContain('which is not a key in /var/opt/azcmagent/tokens; --key-directory names another place');
  });

  test('a refusal is one sentence', async () => {
    const { code, stderr } = await login('--metadata-url', metadataUrl, '--vm', '--field', 'vm_name=batch-1');
    expect([code, stderr]).toEqual([
      1,
      'cloud-identity-auth: the server refused the login (403): the token does not come from the virtual machine named by vm_name\n',
    ]);
  });

  const explain = (...more: string[]): Promise<Awaited<ReturnType<typeof runCli>>> =>
    runCli([
      ...['explain', '--address', url, '--mount', 'machines', '--role', 'web', '--resource', RESOURCE],
      ...['--metadata-url', metadataUrl, '--vm', ...more],
    ]);

  test('a login is explained to an administrator, rule by rule', async () => {
    const { code, stdout, stderr } = await explain('--token', adminToken);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^rule +outcome +seen +wanted\n/);
    expect(stdout).toMatch(/^identity-attached +passed\b/m);
    expect(stdout).toMatch(/^location-bound +not needed$/m);
  });

  test('an explanation of a refusal shows what was seen and wanted', async () => {
    const { code, stdout, stderr } = await explain('--token', adminToken, '--field', 'resource_group_name=shop');
    expect([code, stderr]).toEqual([1, 'cloud-identity-auth: the login is refused\n']);
    expect(stdout).toMatch(/^token-proves-resource-group +failed +demo +shop$/m);
    expect(stdout).toMatch(/^identity-attached +not reached$/m);
  });

  test('nobody else gets an explanation', async () => {
    const { code, stderr, stdout } = await explain('--token', 's.nobody');
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toBe('cloud-identity-auth: the server explains nothing (403): permission denied\n');
  });

  test('a machine outside the cloud is told so', async () => {
    const nobody = await unusedUrl();
    const { code, stderr } = await login('--metadata-url', nobody, '--vm');
    expect([code, stderr]).toEqual([
      1,
      `cloud-identity-auth: cannot reach the metadata service at ${nobody}; is this a cloud machine? ` +
        '--metadata-url names another address (ECONNREFUSED)\n',
    ]);
  });

  test('a server that is down is named', async () => {
    const nobody = await unusedUrl();
    const { code, stderr } = await runCli([
      ...['login', '--address', nobody, '--role', 'web', '--resource', RESOURCE],
      ...['--metadata-url', metadataUrl],
    ]);
    expect([code, stderr]).toEqual([
      1,
      `cloud-identity-auth: cannot reach the secrets server at ${nobody} (ECONNREFUSED)\n`,
    ]);
  });

  test("an identity that the machine does not have is the metadata service's refusal", async () => {
    const { code, stderr } = await login(
      '--metadata-url',
      metadataUrl,
      '--identity',
      '11111111-2222-3333-4444-555555555555',
    );
    expect(code).toBe(1);
    expect(stderr).toContain('the metadata service refused /metadata/identity/oauth2/token (400): Identity not found');
  });
});
