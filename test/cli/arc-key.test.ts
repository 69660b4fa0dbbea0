import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { CommandFailure } from '../../src/cli/command-failure.js';
import { findIdentitySource } from '../../src/cli/identity/find-identity-source.js';
import type { IdentitySource } from '../../src/cli/identity/identity-source.js';

const REQUEST = { resource: 'https://secrets.example.com' };

let root: string;
let keys: string;
/** What whoever listens on the agent's port answers those without a key. */
let challenge: { status: number; headers: Record<string, string> };
/** What they were sent by those with one. */
let received: string[];

const server = createServer(({ headers: { authorization } }, response) => {
  if (authorization === undefined) return response.writeHead(challenge.status, challenge.headers).end();
  received.push(authorization);
  const isRight = authorization === 'Basic canary-right';
  return response.writeHead(isRight ? 200 : 401).end(JSON.stringify({ access_token: 'a token', client_id: 'own' }));
});

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'arc-'));
  keys = join(root, 'tokens');
  mkdirSync(join(keys, 'folder'), { recursive: true });
  mkdirSync(join(keys, 'folder.key'));
  const write = (path: string, text: string): void => writeFileSync(join(root, path), text);
  write('elsewhere.key', 'canary-elsewhere');
  write('tokens-2.key', 'canary-elsewhere');
  for (const name of ['right.key', 'other.txt', '.key', 'UPPER.KEY', 'folder/nested.key', 'dots..key']) {
    write(`tokens/${name}`, 'canary-right');
  }
  write('tokens/large.key', 'x'.repeat(4097));
  write('tokens/largest.key', 'x'.repeat(4096));
  write('tokens/empty.key', '');
  write('tokens/lines.key', 'canary-one\ncanary-two');
  symlinkSync(join(root, 'elsewhere.key'), join(keys, 'link.key'));
  expect(spawnSync('mkfifo', [join(keys, 'pipe.key')]).status).toBe(0);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});

beforeEach(() => {
  received = [];
});

afterAll(() => {
  server.close();
  rmSync(root, { recursive: true });
});

function agent(host = '127.0.0.1'): IdentitySource {
  const url = `http://${host}:${(server.address() as AddressInfo).port}`;
  const env = { IDENTITY_ENDPOINT: `${url}/metadata/identity/oauth2/token`, IMDS_ENDPOINT: url };
  return findIdentitySource({ keyDirectory: keys }, env);
}

/** The failure of a workload that is challenged like this. */
async function failure(header: string | undefined, status = 401): Promise<CommandFailure> {
  challenge = { status, headers: header === undefined ? {} : { 'www-authenticate': header } };
  const error = await agent()
    .token(REQUEST)
    .catch((reason: unknown) => reason);
  if (!(error instanceof CommandFailure)) throw new Error('this did not fail as commands fail', { cause: error });
  return error;
}

test('a key of the agent is sent, and a token comes back', async () => {
  challenge = { status: 401, headers: { 'www-authenticate': `Basic realm=${join(keys, 'right.key')}` } };
  expect(await agent().token(REQUEST)).toBe('a token');
  expect(received).toEqual(['Basic canary-right']);
});

test('the agent is asked on this machine even where the environment says localhost', async () => {
  challenge = { status: 401, headers: { 'www-authenticate': `Basic realm=${join(keys, 'right.key')}` } };
  expect(await agent('localhost').token(REQUEST)).toBe('a token');
});

describe('whoever listens on the port is not sent a file of his choice:', () => {
  test.each([
    ['one elsewhere', () => join(root, 'elsewhere.key')],
    ['one by a path that leaves the directory', () => `${keys}/../elsewhere.key`],
    ['one in a directory whose name begins the same', () => `${keys}-2.key`],
    ['one in a directory below', () => join(keys, 'folder', 'nested.key')],
    ['one by a path that is written otherwise', () => `${keys}//right.key`],
    ['one by a path with a dot', () => `${keys}/./right.key`],
    ['one by a relative path', () => 'right.key'],
    ['one with another ending', () => join(keys, 'other.txt')],
    ['one with the ending in capitals', () => join(keys, 'UPPER.KEY')],
    ['one that is but an ending', () => join(keys, '.key')],
    ['one with dots in its name', () => join(keys, 'dots..key')],
    ['one in quotes', () => `"${join(keys, 'right.key')}"`],
    ['one with more parameters behind', () => `${join(keys, 'right.key')}, charset=UTF-8`],
    ['the directory', () => `${keys}/`],
  ])('%s', async (_what, path) => {
    expect((await failure(`Basic realm=${path()}`)).message).toContain(`which is not a key in ${keys}`);
    expect(received).toEqual([]);
  });

  test('a link', async () => {
    expect((await failure(`Basic realm=${join(keys, 'link.key')}`)).message).toContain('cannot read the key');
    expect(received).toEqual([]);
  });

  test.each(['folder.key', 'pipe.key', 'large.key', 'empty.key'])('%s', async (name) => {
    const { message } = await failure(`Basic realm=${join(keys, name)}`);
    expect(message).toBe(`the key ${join(keys, name)} is not a file of 1 to 4096 bytes`);
    expect(received).toEqual([]);
  });
});

describe('other challenges fail with one sentence:', () => {
  test.each([
    ['without header', undefined],
    ['of another scheme', 'Digest realm=x'],
    ['without realm', 'Basic'],
    ['with an empty realm', 'Basic realm='],
  ])('%s', async (_what, header) => {
    expect((await failure(header)).message).toBe('the metadata service asks for a key and does not say which');
  });

  test('a file that is not there', async () => {
    const { message } = await failure(`Basic realm=${join(keys, 'missing.key')}`);
    expect(message).toBe(`cannot read the key ${join(keys, 'missing.key')} (ENOENT); is this user in the group himds?`);
  });

  test('a key that is refused is sent once', async () => {
    const { message } = await failure(`Basic realm=${join(keys, 'largest.key')}`);
    expect(message).toMatch(/^the metadata service refused \/metadata\/identity\/oauth2\/token \(401\): /);
    expect(received).toHaveLength(1);
  });

  test('a key that does not fit a header is not shown', async () => {
    const { message } = await failure(`Basic realm=${join(keys, 'lines.key')}`);
    expect(message).toMatch(/the header Authorization takes printable characters$/);
    expect(received).toEqual([]);
  });

  test('control characters do not reach the terminal', async () => {
    const { message } = await failure('Basic realm=/\u009b31m.key');
    expect(message).toContain('/?31m.key');
  });

  test('a redirect is not followed', async () => {
    challenge = { status: 302, headers: { location: '/elsewhere' } };
    await expect(agent().token(REQUEST)).rejects.toThrow(/^cannot reach the metadata service/);
  });
});

test.each(['192.0.2.1', 'agent.example.com', '10.0.0.1', 'localhost.example.com', '[2001:db8::1]'])(
  'an agent on another machine, %s, is not asked at all',
  (host) => {
    expect(() => agent(host)).toThrow(/^IDENTITY_ENDPOINT: got .* takes an address on this machine/);
  },
);

test('a token of another identity than the one that was asked for is not taken', async () => {
  challenge = { status: 401, headers: { 'www-authenticate': `Basic realm=${join(keys, 'right.key')}` } };
  await expect(agent().token({ ...REQUEST, identity: 'other' })).rejects.toThrow(/another identity than --identity/);
  expect(await agent().token({ ...REQUEST, identity: 'OWN' })).toBe('a token');
});
