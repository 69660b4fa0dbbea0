import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { decodeJwt } from 'jose';
import { startSimulator } from '../../src/simulator/index.js';
import type { Machine, Simulator, UserAssignedIdentity, VirtualMachine } from '../../src/simulator/index.js';
import { recordEvidence } from '../support/evidence.js';
import { METADATA_SERVICES } from './metadata-services.js';
import type { MetadataService } from './metadata-services.js';
import { ROOT, ServerClient } from './server.js';

const PROGRAM = join(import.meta.dirname, 'managed-identity-server.js');

let cloud: Simulator;
let identities: UserAssignedIdentity[];
/** Where the server runs. */
let home: Machine;
let machine: VirtualMachine;

beforeAll(async () => {
  cloud = await startSimulator();
  identities = ['one', 'two'].map((name) => cloud.addUserAssignedIdentity({ name }));
  home = cloud.addVirtualMachine({ name: 'home', systemAssigned: true, userAssigned: identities });
});

beforeEach(() => {
  machine = cloud.addVirtualMachine({ systemAssigned: true });
  cloud.resetCalls();
});

afterAll(() => cloud.close());

/** A secrets server in a process of its own. */
class ServerProcess extends ServerClient {
  readonly #child: ChildProcess;
  readonly #log: () => string;

  private constructor(url: string, child: ChildProcess, log: () => string) {
    super(url, cloud);
    this.#child = child;
    this.#log = log;
  }

  static async start(env: Readonly<Record<string, string>>): Promise<ServerProcess> {
    const child = fork(PROGRAM, {
      env: { ...process.env, ...env },
      execArgv: [],
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    let log = '';
    child.stderr?.on('data', (chunk: Buffer) => (log += chunk.toString()));
    child.send({ environment: cloud.environment, rootToken: ROOT });
    const [{ url }] = (await once(child, 'message')) as [{ url: string }];
    return new ServerProcess(url, child, () => log);
  }

  /** Ends the process and gives its log to the search for secrets. */
  async close(): Promise<string> {
    const closed = once(this.#child, 'close');
    this.#child.kill();
    await closed;
    recordEvidence('log', this.#log());
    return this.#log();
  }
}

/** Object ids that asked the resource manager, in the order of the requests. */
function askers(): unknown[] {
  return cloud
    .calls({ service: 'resource-manager' })
    .map(({ headers }) => decodeJwt((headers.authorization ?? '').slice('Bearer '.length))['oid']);
}

describe.each(METADATA_SERVICES)('with a managed identity from %s', (_, start) => {
  test('a machine logs in, and no log shows a secret', async () => {
    const service = await start(cloud, home);
    const server = await ServerProcess.start(service.env);
    await server.configure({});
    expect(await server.login(machine)).toMatchObject({ status: 200 });
    expect(askers()).toEqual([home.systemAssigned!.principalId]);

    cloud.revokeTokens();
    expect(await server.login(machine)).toMatchObject({ status: 200 });
    expect(await server.close()).toContain('provider request');
    await service.close();
  });
});

describe('with a managed identity', () => {
  let service: MetadataService;
  let server: ServerProcess;

  beforeAll(async () => {
    service = await METADATA_SERVICES[0]![1](cloud, home);
    server = await ServerProcess.start(service.env);
  });

  beforeEach(() => server.configure({ client_id: '', client_secret: '', auth_type: '' }));

  afterAll(async () => {
    await server.close();
    await service.close();
  });

  const metadataCalls = (): number => cloud.calls({ service: 'metadata' }).length;

  test('the client id chooses among those of the machine, for each mount its own', async () => {
    const [one, two] = identities;
    await server.configure({ client_id: one!.clientId });
    await server.configure({ client_id: two!.clientId }, { mount: 'other' });
    for (const mount of ['cloud', 'other', 'cloud', 'other']) {
      expect(await server.login(machine, { mount })).toMatchObject({ status: 200 });
    }
    expect(askers()).toEqual([one!.principalId, two!.principalId, one!.principalId, two!.principalId]);
    expect(metadataCalls()).toBe(2);
  });

  test('one that the machine does not have is a matter of the configuration', async () => {
    await server.configure({ client_id: '11111111-1111-1111-1111-111111111111' });
    expect(await server.login(machine)).toMatchObject({
      status: 400,
      errors: ["This server's metadata service refuses a token: the machine does not have the identity."],
    });
  });

  test('fifty cold logins at once ask once', async () => {
    const machines = Array.from({ length: 50 }, (_, index) =>
      cloud.addVirtualMachine({ name: `web-${index}`, systemAssigned: true }),
    );
    const replies = await Promise.all(machines.map((each) => server.login(each)));
    expect(replies.map(({ status }) => status)).toEqual(machines.map(() => 200));
    expect(metadataCalls()).toBe(1);
  });

  test('a change of the configuration means another token', async () => {
    await server.login(machine);
    await server.login(machine);
    expect(metadataCalls()).toBe(1);
    await server.configure({ retry_delay: 3 });
    await server.login(machine);
    expect(metadataCalls()).toBe(2);
  });

  test('a token that is revoked early is replaced by one fresh one', async () => {
    await server.login(machine);
    cloud.revokeTokens();
    expect(await server.login(machine)).toMatchObject({ status: 200 });
    expect(metadataCalls()).toBe(2);
  });

  test('that is pinned, a client secret is left alone', async () => {
    const { clientSecret } = cloud.addApplication();
    await server.configure({ client_secret: clientSecret, auth_type: 'msi' });
    expect(await server.login(machine)).toMatchObject({ status: 200 });
    expect(askers()).toEqual([home.systemAssigned!.principalId]);
  });

  test('a hiccup of the metadata service is got over as the configuration says', async () => {
    cloud.fail({ service: 'metadata', status: 500, times: 1 });
    await server.configure({ max_retries: 2, retry_delay: 0, max_retry_delay: 1 });
    expect(await server.login(machine)).toMatchObject({ status: 200 });
    expect(metadataCalls()).toBe(2);
  });

  test.each([
    { hang: true },
    { reset: true },
    { garbage: true },
    { stallBody: true, body: '{}' },
    { status: 404 },
    { status: 410 },
    { status: 429, headers: { 'retry-after': '30' } },
    { status: 500 },
    { status: 302, headers: { location: 'http://127.0.0.1:9/' } },
    { body: 'canary-no-json' },
    { body: {} },
    { body: { access_token: 'canary-x', token_type: 'Bearer' } },
    { body: { access_token: 'canary-x', token_type: 'Bearer', expires_on: 'soon' } },
    { body: { access_token: 'canary-x', token_type: 'Bearer', expires_on: '1' } },
    { body: { expires_on: '4000000000', token_type: 'Bearer' } },
  ])('a metadata service that answers with %j is an outage, and is believed again after it', async (fault) => {
    const handle = cloud.fail({ service: 'metadata', ...fault });
    const reply = await server.login(machine);
    handle.remove();
    expect(reply).toMatchObject({
      status: 503,
      errors: [
        "This server's metadata service did not give an access token. It is asked when no other credentials are configured.",
      ],
    });
    expect(await server.login(machine)).toMatchObject({ status: 200 });
  });

  test('an answer without end is an outage', async () => {
    const handle = cloud.fail({ service: 'metadata', status: 200, body: 'x'.repeat(1_000_000) });
    expect(await server.login(machine)).toMatchObject({ status: 503 });
    handle.remove();
  });
});

describe('without a metadata service', () => {
  let server: ServerProcess | undefined;

  afterEach(() => server?.close());

  test('a login that needs the cloud is told so', async () => {
    const gone = await cloud.metadataService(home);
    await gone.close();
    server = await ServerProcess.start({ AZURE_POD_IDENTITY_AUTHORITY_HOST: gone.url });
    await server.configure({});
    expect(await server.login(machine)).toMatchObject({ status: 503 });
  });
});
