import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { startSimulator } from '../../src/simulator/index.js';
import type { Application, Simulator, VirtualMachine } from '../../src/simulator/index.js';
import { TestIssuer } from '../simulator/assertion-issuer.js';
import { CredentialServer, ShiftedClock, tokenRequests } from './server.js';

const HOUR = 3_600_000;
const SUBJECT = 'system:serviceaccount:vault:server';
const AUDIENCE = 'api://AzureADTokenExchange';

const clock = new ShiftedClock();
let cluster: TestIssuer;
let cloud: Simulator;
let application: Application;
let machine: VirtualMachine;
let folder: string;
let file: string;
let server: CredentialServer;

beforeAll(async () => {
  cluster = await TestIssuer.start();
  cloud = await startSimulator({ now: clock.now });
  application = cloud.addApplication({
    federatedCredentials: [{ issuer: cluster.url, subject: SUBJECT, audiences: [AUDIENCE] }],
  });
});

beforeEach(async () => {
  clock.offset = 0;
  machine = cloud.addVirtualMachine({ systemAssigned: true });
  folder = await mkdtemp(join(tmpdir(), 'pod-'));
  file = join(folder, 'token');
  server = await CredentialServer.start(cloud, { clock, env: { AZURE_FEDERATED_TOKEN_FILE: file } });
  await server.configure({ client_id: application.clientId });
});

afterEach(async () => {
  await server.close();
  await rm(folder, { recursive: true });
  cloud.resetCalls();
});

afterAll(async () => {
  await cloud.close();
  await cluster.close();
});

/** What the cluster puts into the file, and replaces before it expires. */
function projected(changes: object = {}): Promise<string> {
  const now = Math.floor(clock.now() / 1000);
  return cluster.sign({ iss: cluster.url, sub: SUBJECT, aud: AUDIENCE, iat: now, exp: now + 600, ...changes });
}

/** Puts a file in the place of the former one at one stroke, as clusters do. */
async function put(text: string | Buffer): Promise<void> {
  await writeFile(`${file}.new`, text);
  await rename(`${file}.new`, file);
}

describe("with the pod's token", () => {
  test('a machine logs in', async () => {
    await put(await projected());
    expect(await server.login(machine)).toMatchObject({ status: 200 });
    expect(tokenRequests(cloud)).toHaveLength(1);
  });

  test('blanks around it do not matter', async () => {
    await put(` \n${await projected()}\n\n`);
    expect(await server.login(machine)).toMatchObject({ status: 200 });
  });

  test('the client is that of the pod where the configuration names none', async () => {
    await server.close();
    const env = { AZURE_FEDERATED_TOKEN_FILE: file, AZURE_CLIENT_ID: application.clientId };
    server = await CredentialServer.start(cloud, { clock, env });
    await server.configure({});
    await put(await projected());
    expect(await server.login(machine)).toMatchObject({ status: 200 });
  });

  test('the file is read again for each access token, without a write or a restart', async () => {
    await put(await projected());
    expect(await server.login(machine)).toMatchObject({ status: 200 });
    clock.offset = HOUR;
    expect(await server.login(machine)).toMatchObject({ status: 400 });
    expect(server.refusals).toEqual([700024]);
    await put(await projected());
    expect(await server.login(machine)).toMatchObject({ status: 200 });
  });

  test.each([
    ['issuer', { iss: 'https://elsewhere.example' }, 700211],
    ['subject', { sub: 'system:serviceaccount:vault:other' }, 700213],
    ['audience', { aud: 'api://other' }, 700212],
    ['end', { exp: 1 }, 700024],
  ])('another %s is refused', async (_, changes, number) => {
    await put(await projected(changes));
    expect(await server.login(machine)).toMatchObject({
      status: 400,
      errors: ['The directory refuses the configured credentials.'],
    });
    expect(server.refusals).toEqual([number]);
  });
});

describe('a file that holds no token', () => {
  test.each<[string, () => Promise<unknown>]>([
    ['is missing', () => Promise.resolve()],
    ['is a folder', () => mkdir(file)],
    ['is empty', () => put('')],
    ['holds blanks', () => put(' \n')],
    ['holds something else', () => put('canary-some-other-secret')],
    ['holds two tokens', async () => put(`${await projected()}\n${await projected()}`)],
    ['holds no text', () => put(Buffer.from([0xff, 0xfe, 0x00]))],
    ['is huge', async () => put((await projected()) + 'A'.repeat(50_000_000))],
    [
      'is a pipe that nobody writes to',
      () => {
        expect(spawnSync('mkfifo', [file]).status).toBe(0);
        return Promise.resolve();
      },
    ],
  ])('because it %s is said, and nothing of it is sent', async (_, prepare) => {
    await prepare();
    expect(await server.login(machine)).toMatchObject({
      status: 400,
      errors: ['The file that AZURE_FEDERATED_TOKEN_FILE names cannot be read or holds no signed token.'],
    });
    expect(tokenRequests(cloud)).toEqual([]);

    await rm(file, { recursive: true, force: true });
    await put(await projected());
    expect(await server.login(machine)).toMatchObject({ status: 200 });
  });
});
