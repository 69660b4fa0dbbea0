import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { decodeJwt } from 'jose';
import { startSimulator } from '../../src/simulator/index.js';
import type { Actor, MetadataService, Simulator, UserAssignedIdentity } from '../../src/simulator/index.js';
import { send } from './support.js';
import type { Reply } from './support.js';

const AUDIENCE = 'https://vault.example.com';
const QUERY = `?api-version=2020-06-01&resource=${encodeURIComponent(AUDIENCE)}`;
const metadata = { metadata: 'true' };

let simulator: Simulator;
let identity: UserAssignedIdentity;
let machine: Actor;
let service: MetadataService;

beforeAll(async () => {
  simulator = await startSimulator();
  identity = simulator.addUserAssignedIdentity({ name: 'extra' });
  const options = { systemAssigned: true, userAssigned: [identity] };
  machine = simulator.addResource({ type: 'Microsoft.HybridCompute/machines', name: 'factory', ...options });
  service = await simulator.metadataService(machine);
});

afterAll(() => simulator.close());

function ask(query: string, headers: Record<string, string> = metadata): Promise<Reply> {
  return send(`${service.env['IDENTITY_ENDPOINT']}${query}`, { headers });
}

function keyPath({ status, headers }: Reply): string {
  expect(status).toBe(401);
  const [, path] = /^Basic realm=(.+)$/.exec(headers['www-authenticate'] ?? '') ?? [];
  return path!;
}

async function askWithKey(query: string): Promise<Reply> {
  const secret = readFileSync(keyPath(await ask(query)), 'utf8');
  return ask(query, { ...metadata, authorization: `Basic ${secret}` });
}

describe('the agent of an Arc machine', () => {
  test('says what the machine is, to anyone on it', async () => {
    const url = `${service.env['IMDS_ENDPOINT']}/metadata/instance?api-version=2020-06-01`;
    expect((await send(url, { headers: metadata })).json()['compute']).toMatchObject({
      name: 'factory',
      provider: 'Microsoft.HybridCompute',
      resourceGroupName: 'group',
      resourceId: machine.id,
      subscriptionId: simulator.subscriptionId,
    });
    expect((await send(url)).status).toBe(400);
  });

  test('gives a token to who can read its key file', async () => {
    const answer = (await askWithKey(QUERY)).json();
    expect(answer).toMatchObject({ client_id: machine.systemAssigned!.clientId, resource: AUDIENCE });
    expect(decodeJwt(String(answer['access_token']))).toMatchObject({
      oid: machine.systemAssigned!.principalId,
      xms_mirid: machine.id.replace('resourceGroups', 'resourcegroups'),
    });
  });

  test('gives a token of the identity that is named, and says so', async () => {
    const named = `${QUERY}&msi_res_id=${encodeURIComponent(identity.id)}`;
    const answer = (await askWithKey(named)).json();
    expect(answer).toMatchObject({ client_id: identity.clientId, msi_res_id: identity.id });
  });

  test('refuses what is malformed before it challenges', async () => {
    const files = readdirSync(service.keyDirectory!).length;
    for (const [query, headers] of [
      [QUERY, {}],
      [QUERY.replace('2020-06-01', '2018-02-01'), metadata],
      ['?api-version=2020-06-01', metadata],
      [QUERY, { ...metadata, 'x-forwarded-for': '10.0.0.1' }],
    ] as const) {
      expect((await ask(query, headers)).status).toBe(400);
    }
    expect(readdirSync(service.keyDirectory!)).toHaveLength(files);
  });
});

describe('its key files', () => {
  test('are small, for its user alone, and end in .key', async () => {
    const path = keyPath(await ask(QUERY));
    expect(path).toMatch(/\/[\w-]+\.key$/);
    expect(dirname(path)).toBe(service.keyDirectory);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(path).size).toBeLessThanOrEqual(4096);
  });

  test('hold another secret each time', async () => {
    const read = async (): Promise<string> => readFileSync(keyPath(await ask(QUERY)), 'utf8');
    expect(await read()).not.toBe(await read());
  });

  test('serve once', async () => {
    const path = keyPath(await ask(QUERY));
    const headers = { ...metadata, authorization: `Basic ${readFileSync(path, 'utf8')}` };
    expect((await ask(QUERY, headers)).status).toBe(200);
    expect(() => statSync(path)).toThrow('ENOENT');
    expect((await ask(QUERY, headers)).status).toBe(401);
  });

  test.each(['Basic canary-guess', 'Basic ', 'Bearer x', 'canary-guess'])(
    'are not to be guessed: %s is challenged anew',
    async (authorization) => {
      const reply = await ask(QUERY, { ...metadata, authorization });
      expect(statSync(keyPath(reply)).isFile()).toBe(true);
      expect(reply.text).not.toContain('access_token');
    },
  );

  test('are gone when the service is closed, and their directory if it made it', async () => {
    const other = await simulator.metadataService(machine);
    await send(`${other.env['IDENTITY_ENDPOINT']}${QUERY}`, { headers: metadata });
    expect(readdirSync(other.keyDirectory!)).toHaveLength(1);
    await other.close();
    await other.close();
    expect(() => statSync(other.keyDirectory!)).toThrow('ENOENT');
  });

  test('are written where one wishes, and other files there stay', async () => {
    const keyDirectory = mkdtempSync(join(tmpdir(), 'given-'));
    try {
      writeFileSync(join(keyDirectory, 'mine.key'), '');
      const other = await simulator.metadataService(machine, { keyDirectory });
      await send(`${other.env['IDENTITY_ENDPOINT']}${QUERY}`, { headers: metadata });
      expect(readdirSync(keyDirectory)).toHaveLength(2);
      await other.close();
      expect(readdirSync(keyDirectory)).toEqual(['mine.key']);
    } finally {
      rmSync(keyDirectory, { recursive: true });
    }
  });
});
