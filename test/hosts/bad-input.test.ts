import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { createHttpHost } from '../../src/hosts/http/index.js';
import type { HttpHost } from '../../src/hosts/http/index.js';
import { fakeBackend } from '../support/fake-backend.js';
import { recordingLogger } from '../support/logger.js';
import { httpRequest, Wire } from '../support/wire.js';
import type { WireAnswer } from '../support/wire.js';

const ROOT = 'canary-root';
const LIMIT = 10_000;
const ROLE = '/v1/auth/cloud/role/dev';

const backend = fakeBackend();
let host: HttpHost;
let port: number;

beforeAll(async () => {
  host = await createHttpHost({
    factories: { cloud: backend.factory },
    mounts: [{ path: 'cloud', type: 'cloud' }],
    logger: recordingLogger(),
    rootToken: ROOT,
    maxBodySize: LIMIT,
    headersTimeout: 300,
    requestTimeout: 300,
    timeoutCheckInterval: 20,
  });
  ({ port } = await host.listen());
});
afterAll(() => host.close());

/** After each attack: nothing was stored, and the next request is served. */
afterEach(async () => {
  const stored = await backend.services[0]?.storage.list('');
  expect(stored).toEqual(['started']);
  expect((await send(httpRequest('GET', '/v1/sys/health')))?.status).toBe(200);
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
});

async function send(...pieces: (string | Uint8Array)[]): Promise<WireAnswer | undefined> {
  const wire = await Wire.open(port);
  for (const piece of pieces) await wire.send(piece);
  const answer = await wire.answer();
  wire.close();
  return answer;
}

const write = (body: string, headers: Record<string, string> = {}, path = ROLE): Promise<WireAnswer | undefined> =>
  send(httpRequest('POST', path, { body, headers: { 'x-service-token': ROOT, ...headers } }));

async function expectRefusal(answer: Promise<WireAnswer | undefined>, ...statuses: number[]): Promise<void> {
  const { status = 0, headers = {}, body = '' } = (await answer) ?? {};
  expect(statuses).toContain(status);
  expect(headers['content-type']).toBe('application/json');
  expect(headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
  expect(JSON.parse(body)).toEqual({ errors: expect.any(Array) });
}

describe('a body is refused that', () => {
  it.each([
    ['is broken', '{"a":'],
    ['ends too late', '{} {}'],
    ['is an array', '[]'],
    ['is an array of bodies', '[{"ttl":1}]'],
    ['is null', 'null'],
    ['is a number', '1'],
    ['is a text', '"canary-text"'],
    ['is a form', 'a=1&b=2'],
    ['is nested too deep', `${'{"a":'.repeat(40)}1${'}'.repeat(40)}`],
    ['is nested far too deep', '['.repeat(9_000)],
    ['is nested far too deep, and complete', `{"a":${'['.repeat(4_000)}${']'.repeat(4_000)}}`],
    ['has a field of a wrong type', '{"ttl":{}}'],
    ['is blank', ' '],
    ['holds a NUL', '{"a":\0}'],
  ])('%s', async (_, body) => {
    await expectRefusal(write(body), 400);
  });

  it('is not UTF-8', async () => {
    for (const bytes of [[0xff], [0xc0, 0xaf], [0xed, 0xa0, 0x80], [0xe2, 0x82]]) {
      const body = Buffer.concat([Buffer.from('{"a":"'), Buffer.from(bytes), Buffer.from('"}')]);
      const headers = { 'x-service-token': ROOT, 'content-length': String(body.length) };
      await expectRefusal(send(httpRequest('POST', ROLE, { headers }), body), 400);
    }
  });

  it('calls itself something else than JSON', async () => {
    for (const type of ['text/html', 'multipart/form-data; boundary=x', 'application/merge-patch+json', 'x']) {
      await expectRefusal(write('{}', { 'content-type': type }), 400);
    }
  });

  it('announces more than the limit', async () => {
    await expectRefusal(write(JSON.stringify({ a: 'x'.repeat(LIMIT) })), 413);
    const headers = { 'x-service-token': ROOT, 'content-length': '99999999999' };
    await expectRefusal(send(httpRequest('POST', ROLE, { headers })), 413);
  });

  it('streams more than the limit', async () => {
    const headers = { 'x-service-token': ROOT, 'transfer-encoding': 'chunked' };
    const chunk = `1000\r\n${'x'.repeat(4_096)}\r\n`;
    await expectRefusal(send(httpRequest('POST', ROLE, { headers }), chunk, chunk, chunk), 413);
  });

  it('is broken in its chunks', async () => {
    const headers = { 'x-service-token': ROOT, 'transfer-encoding': 'chunked' };
    await expectRefusal(send(httpRequest('POST', ROLE, { headers }), 'zz\r\n{}\r\n0\r\n\r\n'), 400);
  });

  it('never ends', async () => {
    const headers = { 'x-service-token': ROOT, 'content-length': '100' };
    await expectRefusal(send(httpRequest('POST', ROLE, { headers }), '{'), 408);
  });

  it('ends too early', async () => {
    const wire = await Wire.open(port);
    const headers = { 'x-service-token': ROOT, 'content-length': '100' };
    await wire.send(httpRequest('POST', ROLE, { headers }) + '{');
    wire.close();
  });
});

describe('a body with prototype keys', () => {
  it.each(['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty'])(
    'changes nothing: %s',
    async (key) => {
      const body = `{"${key}":{"polluted":true,"type":"cloud"},"jwt":"canary-bad"}`;
      await expectRefusal(write(body, {}, '/v1/auth/cloud/login'), 403);
      await expectRefusal(write(body, {}, '/v1/sys/auth/other'), 400);
      await expectRefusal(write(`{"type":"${key}"}`, {}, '/v1/sys/auth/other'), 400);
      await expectRefusal(write(`{"token":"${key}"}`, {}, '/v1/auth/token/lookup'), 404);
    },
  );
});

describe('a path is refused that', () => {
  it.each([
    '/v1/auth/cloud/role/../../../sys/auth',
    '/v1/auth/cloud/login/../role/dev',
    '/v1/auth/cloud/login/%2e%2e/role/dev',
    '/v1/auth/cloud/login/.%2E/role/dev',
    '/v1/auth/cloud/./role/dev',
    '/v1/auth/cloud/role%2fdev',
    '/v1/auth/cloud/role%2Fdev',
    '/v1/auth/cloud/role%5cdev',
    '/v1/auth/cloud/role\\dev',
    '/v1/auth/cloud//role/dev',
    '/v1//auth/cloud/role/dev',
    '//v1/auth/cloud/role/dev',
    '/v1/auth/cloud/role/dev//',
    '/v1/auth/cloud/role/%00',
    '/v1/auth/cloud/role/a%0ab',
    '/v1/auth/cloud/role/%7f',
    '/v1/auth/cloud/role/%c2%85',
    '/v1/auth/cloud/role/%',
    '/v1/auth/cloud/role/%zz',
    '/v1/auth/cloud/role/%ff',
    '/v1/auth/cloud/role/%c0%ae%c0%ae',
    '/v1/auth/cloud/role/a#b',
    '/v1/',
    '/v1',
    '/',
    '*',
    'v1/auth/cloud/role/dev',
    'http://other/v1/auth/cloud/role/../dev',
    '/V1/auth/cloud/role/dev',
    '/v1/AUTH/cloud/role/dev',
    '/v1/auth/Cloud/role/dev',
    '/v1/auth/__proto__/role/dev',
    '/v1/auth/constructor/login',
    '/v1/sys/auth/__proto__/tune',
    '/v1/sys/__proto__',
    '/v1/auth/token/__proto__',
    '/v1/identity/oidc/plugins/.well-known/__proto__',
    `/v1/auth/cloud/${'a/'.repeat(2_000)}b`,
  ])('leads astray: %s', async (path) => {
    backend.requests.length = 0;
    await expectRefusal(write('{}', {}, path), 400, 404);
    expect(backend.requests.filter(({ path: seen }) => seen.startsWith('role/'))).toEqual([]);
  });

  it('is too long', async () => {
    await expectRefusal(write('{}', {}, `/v1/auth/cloud/role/${'x'.repeat(20_000)}`), 431);
  });
});

describe('a path is decoded once', () => {
  it('and may be given whole', async () => {
    const headers = { 'x-service-token': ROOT };
    for (const [path, expected] of [
      ['/v1/auth/cloud/role/a%252Fb', 'role/a%2Fb'],
      ['/v1/auth/cloud/role/%E2%82%AC+%20x', 'role/€+ x'],
      ['http://any/v1/auth/cloud/role/dev?x=1', 'role/dev'],
    ]) {
      expect((await send(httpRequest('GET', path ?? '', { headers })))?.status).toBe(404);
      expect(backend.requests.at(-1)?.path).toBe(expected);
    }
  });
});

describe('a query', () => {
  it('never stands in for a body', async () => {
    const path = '/v1/auth/cloud/login?jwt=canary-good&role=dev';
    await expectRefusal(send(httpRequest('GET', path)), 405);
    await expectRefusal(send(httpRequest('POST', path)), 403);
    expect(backend.requests.at(-1)?.data).toBeUndefined();
  });

  it('asks for a list only in so many words', async () => {
    const headers = { 'x-service-token': ROOT };
    for (const query of ['list=false', 'list=', 'list', 'xlist=true', 'list=false&list=true']) {
      expect((await send(httpRequest('GET', `/v1/auth/cloud/role?${query}`, { headers })))?.status).toBe(405);
    }
    expect((await send(httpRequest('GET', '/v1/auth/cloud/role?list=1', { headers })))?.status).toBe(200);
  });
});

describe('headers are refused that', () => {
  it('are huge', async () => {
    await expectRefusal(write('{}', { padding: 'x'.repeat(20_000) }), 431);
  });

  it('disagree on the length of the body', async () => {
    for (const lines of [
      'content-length: 2\r\ncontent-length: 3',
      'content-length: 2\r\ntransfer-encoding: chunked',
      'content-length: -1',
      'content-length: 2x',
      'transfer-encoding: gzip',
      'transfer-encoding: chunked, identity',
    ]) {
      await expectRefusal(
        send(`POST ${ROLE} HTTP/1.1\r\nhost: a\r\nx-service-token: ${ROOT}\r\n${lines}\r\n\r\n{}`),
        400,
      );
    }
  });

  it('are malformed', async () => {
    for (const lines of ['host: a\r\nx y: z', 'host: a\r\n folded: z', 'host: a\r\nx: \0', 'nothost: a', 'host: a b']) {
      const { status } = (await send(`GET ${ROLE} HTTP/1.1\r\n${lines}\r\nx-service-token: ${ROOT}\r\n\r\n`)) ?? {};
      expect(status).toBe(400);
    }
  });

  it('never end', async () => {
    await expectRefusal(send(`GET ${ROLE} HTTP/1.1\r\nhost: a\r\n`), 408);
  });

  it('come from another protocol', async () => {
    await expectRefusal(send(Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00])), 400);
    await expectRefusal(send('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), 400);
    expect(await send('CONNECT other:443 HTTP/1.1\r\nhost: other:443\r\n\r\n')).toBeUndefined();
  });
});
