import { once } from 'node:events';
import { createServer } from 'node:http';
import type { RequestListener, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Writable } from 'node:stream';
import { createGzip } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { printableJson } from '../../src/cli/json-exchange.js';
import { runCli } from '../support/cli.js';
import type { Finished } from '../support/cli.js';

const BLANKS = Buffer.alloc(64 * 1024, ' ');
const STEERING = 's.x\u001b]0;title\u0007\u009b2J\u202e\nevil';

let url: string;
/** What the server answers to a login. */
let answer: RequestListener;

const server = createServer((request, response) => {
  if (request.url?.startsWith('/metadata')) response.end(JSON.stringify({ access_token: 'canary-identity' }));
  else answer(request, response);
});

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(() => {
  server.close();
  server.closeAllConnections();
});

const login = (...more: string[]): Promise<Finished> =>
  runCli(['login', '--address', url, '--metadata-url', url, '--role', 'web', '--resource', 'x', ...more]);

describe('an answer that never ends is not read for ever:', () => {
  test.each<[string, (response: ServerResponse) => Writable]>([
    ['as it is', (response) => response],
    [
      'compressed a thousandfold',
      (response) => {
        const zip = createGzip();
        zip.pipe(response.setHeader('content-encoding', 'gzip'));
        return zip;
      },
    ],
  ])('%s', async (_, open) => {
    answer = (_request, response) => {
      const out = open(response);
      const pour = (): boolean => out.write(BLANKS);
      out.on('drain', pour);
      pour();
    };
    expect(await login()).toEqual({
      code: 1,
      stdout: '',
      stderr: `cloud-identity-auth: cannot reach the secrets server at ${url} (the answer is too long)\n`,
    });
  });

  test('one of a mebibyte is read', async () => {
    const text = JSON.stringify({ auth: { client_token: 's.good' } });
    answer = (_, response) => response.end(text.padEnd(1024 * 1024));
    expect(await login()).toEqual({ code: 0, stdout: 's.good\n', stderr: '' });
  });
});

describe('what steers a terminal is not printed', () => {
  test.each([STEERING, 's.x\ns.y', 's.x s.y', ''])('as the token %j', async (token) => {
    answer = (_, response) => response.end(JSON.stringify({ auth: { client_token: token } }));
    expect(await login()).toEqual({
      code: 1,
      stdout: '',
      stderr: 'cloud-identity-auth: the server answered without a token: is this a secrets server?\n',
    });
  });

  test('in the whole answer, which stays the same JSON', async () => {
    const body = { auth: { client_token: 's.good', metadata: { [STEERING]: `${STEERING}\u{e0001}ü€` } } };
    answer = (_, response) => response.end(JSON.stringify(body));
    const { code, stdout } = await login('--format', 'json');
    expect(code).toBe(0);
    expect(stdout.replaceAll('\n', '')).not.toMatch(/\p{C}/u);
    expect(stdout).toContain('ü€');
    expect(JSON.parse(stdout)).toEqual(body);
  });
});

test('JSON of nothing special is as usual', () => {
  const value = { a: ['b', 1, null], c: 'ü' };
  expect(printableJson(value)).toBe(JSON.stringify(value, null, 2));
});
