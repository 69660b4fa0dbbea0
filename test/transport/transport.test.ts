import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:https';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Server } from 'node:https';
import { createServer as createTcpServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { OutboundRequest, OutboundTransport } from '../../src/contract/index.js';
import { createServerCertificate } from '../../src/simulator/x509.js';
import { createTransport } from '../../src/transport/index.js';

const LIMIT = 64 * 1024;
const run = promisify(execFile);

let certificate: ReturnType<typeof createServerCertificate>;
let server: Server;
let connections: Set<Socket>;
let handler: RequestListener;
let url: string;
let transport: OutboundTransport;

beforeAll(() => {
  certificate = createServerCertificate(['127.0.0.1']);
});

beforeEach(async () => {
  handler = (_, response) => response.end('ok');
  server = createServer({ cert: certificate.certificate, key: certificate.privateKey }, (request, response) =>
    handler(request, response),
  );
  connections = new Set();
  server.on('secureConnection', (socket: Socket) => connections.add(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  transport = createTransport({ userAgent: 'cloud-identity-auth/test', maxSockets: 4, maxBodyBytes: LIMIT });
});

afterEach(async () => {
  await transport.close();
  server.closeAllConnections();
  server.close();
});

function send(overrides: Partial<OutboundRequest> = {}) {
  const signal = new AbortController().signal;
  return transport.send({ method: 'GET', url, ca: certificate.ca, signal, ...overrides });
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const chunk of request) body += String(chunk);
  return body;
}

describe('a request', () => {
  test.each(['POST', 'PUT', 'PATCH', 'DELETE'] as const)('%s carries path, query, headers and body', async (method) => {
    handler = (request, response) => {
      void bodyOf(request).then((body) => {
        const { url: path, headers } = request;
        response.end(JSON.stringify({ method: request.method, path, type: headers['content-type'], body }));
      });
    };
    const answer = await send({
      method,
      url: `${url}/a%2Fb?c=d&e=%20`,
      headers: { 'Content-Type': 'text/plain' },
      body: 'ünï',
    });
    expect(JSON.parse(Buffer.from(answer.body).toString())).toStrictEqual({
      method,
      path: '/a%2Fb?c=d&e=%20',
      type: 'text/plain',
      body: 'ünï',
    });
  });

  test('has the user agent of the plugin and asks for no compression, whatever the caller says', async () => {
    handler = ({ headers }, response) =>
      response.end(JSON.stringify([headers['user-agent'], headers['accept-encoding']]));
    const headers = { 'User-Agent': 'sdk/1', 'ACCEPT-ENCODING': 'gzip' };
    const { body } = await send({ headers });
    expect(JSON.parse(Buffer.from(body).toString())).toStrictEqual(['cloud-identity-auth/test', 'identity']);
  });

  test('to http is not sent', async () => {
    let calls = 0;
    const plain = createHttpServer((_, response) => {
      calls++;
      response.end();
    }).listen(0, '127.0.0.1');
    await once(plain, 'listening');
    const { port } = plain.address() as AddressInfo;
    await expect(send({ url: `http://127.0.0.1:${port}/` })).rejects.toMatchObject({ failure: 'connection' });
    expect(calls).toBe(0);
    plain.close();
  });

  test.each(['', 'nonsense', '/path', 'file:///etc/hosts'])('to %p is not sent', async (bad) => {
    await expect(send({ url: bad })).rejects.toMatchObject({ name: 'OutboundError', failure: 'connection' });
  });

  test('with a header that could split the request is not sent', async () => {
    await expect(send({ headers: { a: 'b\r\nc: canary-header' } })).rejects.toMatchObject({ failure: 'connection' });
    expect(connections.size).toBe(0);
  });
});

describe('an answer', () => {
  test.each([200, 204, 302, 404, 429, 500])('of status %p is an answer', async (status) => {
    let calls = 0;
    handler = (_, response) => {
      calls++;
      response.writeHead(status, { location: `${url}/elsewhere`, 'X-Twice': ['a', 'b'] }).end();
    };
    const answer = await send();
    expect(answer).toMatchObject({ status, headers: { location: `${url}/elsewhere`, 'x-twice': 'a, b' } });
    expect(answer.body).toHaveLength(0);
    expect(calls).toBe(1);
  });

  test('to HEAD has no body', async () => {
    handler = (_, response) => response.writeHead(200, { 'content-length': '5' }).end();
    expect((await send({ method: 'HEAD' })).body).toHaveLength(0);
  });

  test('keeps its bytes', async () => {
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, i) => i));
    handler = (_, response) => response.end(bytes);
    expect(Buffer.from((await send()).body)).toStrictEqual(bytes);
  });

  test.each(['__proto__', 'constructor'])('with a header called %s is read like any other', async (name) => {
    handler = (_, response) => response.writeHead(200, [name, 'x', 'After', 'y']).end('ok');
    const { headers } = await send();
    expect(Object.getOwnPropertyDescriptor(headers, name)?.value).toBe('x');
    expect(headers['after']).toBe('y');
  });

  test.each<[string, (response: ServerResponse, size: number) => void]>([
    ['announced', (response, size) => response.writeHead(200, { 'content-length': size }).end('x'.repeat(size))],
    ['chunked', (response, size) => (response.write('x'), response.end('x'.repeat(size - 1)))],
  ])('is bounded, %s', async (_, answer) => {
    handler = (_request, response) => answer(response, LIMIT);
    expect((await send()).body).toHaveLength(LIMIT);
    handler = (_request, response) => answer(response, LIMIT + 1);
    await expect(send()).rejects.toMatchObject({ failure: 'too_large' });
  });

  test('without an end is cut', async () => {
    handler = (_, response) => {
      const more = (): void => {
        while (!response.destroyed && response.write('x'.repeat(1024)));
      };
      response.on('drain', more);
      more();
    };
    await expect(send()).rejects.toMatchObject({ failure: 'too_large' });
  });

  test('with endless headers is cut', async () => {
    handler = (_, response) => response.writeHead(200, { 'x-long': 'x'.repeat(100_000) }).end();
    await expect(send()).rejects.toMatchObject({ failure: 'too_large' });
  });
});

describe('a failure', () => {
  test('to connect is told by its code', async () => {
    const closed = createTcpServer().listen(0, '127.0.0.1');
    await once(closed, 'listening');
    const { port } = closed.address() as AddressInfo;
    closed.close();
    await once(closed, 'close');
    await expect(send({ url: `https://127.0.0.1:${port}/` })).rejects.toMatchObject({
      failure: 'connection',
      message: `GET https://127.0.0.1:${port}/ got no answer (ECONNREFUSED).`,
    });
  });

  test.each<[string, RequestListener]>([
    ['reset', (_, response) => response.socket?.destroy()],
    [
      'reset within the body',
      (_, response) => response.writeHead(200, { 'content-length': '9' }).write('x', () => response.socket?.destroy()),
    ],
    ['garbage', (_, response) => response.socket?.end('canary-garbage\r\n\r\n')],
  ])('by %s is one', async (_, listener) => {
    handler = listener;
    const error: unknown = await send().catch((reason: unknown) => reason);
    expect(error).toMatchObject({ failure: 'connection' });
    expect((error as Error).cause).toBeUndefined();
    expect(String(error)).not.toContain('canary');
  });

  test('has nothing of query, headers and body in its text', async () => {
    handler = (_, response) => response.socket?.destroy();
    const error: unknown = await send({
      method: 'POST',
      url: `${url}/path?code=canary-query`,
      headers: { authorization: 'canary-header' },
      body: 'canary-body',
    }).catch((reason: unknown) => reason);
    expect(String(error)).toContain(`POST ${url}/path `);
    expect(String(error)).not.toContain('canary');
  });

  test('to trust the certificate is one', async () => {
    const stranger = createServerCertificate(['127.0.0.1']);
    await expect(send({ ca: stranger.ca })).rejects.toMatchObject({ failure: 'connection' });
    const { signal } = new AbortController();
    await expect(transport.send({ method: 'GET', url, signal })).rejects.toMatchObject({ failure: 'connection' });
    await expect(send()).resolves.toMatchObject({ status: 200 });
  });

  test('of the name on the certificate is one', async () => {
    const named = url.replace('127.0.0.1', 'localhost');
    await expect(send({ url: named })).rejects.toMatchObject({
      failure: 'connection',
      message: `GET ${named}/ got no answer (ERR_TLS_CERT_ALTNAME_INVALID).`,
    });
  });

  test('is not made up for by switching verification off', async () => {
    // A process of its own: the variable is read at its start, and Node warns of it.
    const script = `
      const { createTransport } = await import(process.argv[1]);
      const transport = createTransport({ userAgent: 'test' });
      const { signal } = new AbortController();
      const outcome = transport.send({ method: 'GET', url: process.argv[2], signal });
      process.stdout.write(await outcome.then(() => 'accepted', ({ failure }) => failure));
      process.exit();
    `;
    const module = join(import.meta.dirname, '../../dist/transport/index.js');
    const env = { ...process.env, NODE_TLS_REJECT_UNAUTHORIZED: '0' };
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script, module, url], { env });
    expect(stdout).toBe('connection');
  });
});

describe('an abort', () => {
  const reached = (): Promise<ServerResponse> =>
    new Promise((resolve) => {
      handler = (_, response) => resolve(response);
    });

  test('before sending sends nothing', async () => {
    await expect(send({ signal: AbortSignal.abort() })).rejects.toMatchObject({ failure: 'aborted' });
    expect(connections.size).toBe(0);
  });

  test('before the headers ends the exchange', async () => {
    const controller = new AbortController();
    const arrived = reached();
    const answer = send({ signal: controller.signal });
    const response = await arrived;
    controller.abort();
    await expect(answer).rejects.toMatchObject({ failure: 'aborted' });
    await once(response, 'close');
  });

  test('within the body ends the exchange', async () => {
    const controller = new AbortController();
    const arrived = reached();
    const answer = send({ signal: controller.signal });
    const response = await arrived;
    response.write('x');
    controller.abort(new Error('canary-reason'));
    const error: unknown = await answer.catch((reason: unknown) => reason);
    expect(error).toMatchObject({ failure: 'aborted' });
    expect(String(error)).not.toContain('canary');
    await once(response, 'close');
  });

  test('while connecting ends the wait', async () => {
    const silent = createTcpServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const controller = new AbortController();
    const answer = send({
      url: `https://127.0.0.1:${(silent.address() as AddressInfo).port}/`,
      signal: controller.signal,
    });
    const [socket] = (await once(silent, 'connection')) as [Socket];
    controller.abort();
    await expect(answer).rejects.toMatchObject({ failure: 'aborted' });
    socket.destroy();
    silent.close();
  });

  test('while waiting for a socket ends the wait, and the request is never sent', async () => {
    const responses: ServerResponse[] = [];
    let seen = (): void => undefined;
    handler = (_, response) => {
      responses.push(response);
      seen();
    };
    const busy = Array.from({ length: 4 }, () => send());
    await new Promise<void>((resolve) => {
      seen = () => responses.length === 4 && resolve();
    });
    const controller = new AbortController();
    const queued = send({ signal: controller.signal });
    controller.abort();
    await expect(queued).rejects.toMatchObject({ failure: 'aborted' });
    for (const response of responses) response.end();
    await Promise.all(busy);
    handler = (_, response) => response.end('next');
    await send();
    expect(responses).toHaveLength(4);
  });
});

describe('sockets', () => {
  test('are kept alive', async () => {
    for (let i = 0; i < 20; i++) await send();
    // A second one is opened when an answer is there a moment before its socket counts as free.
    expect(connections.size).toBeLessThanOrEqual(2);
  });

  test('are bounded', async () => {
    await Promise.all(Array.from({ length: 50 }, () => send()));
    expect(connections.size).toBeLessThanOrEqual(4);
  });

  test('are kept apart by the certificates that they trust', async () => {
    await send();
    await send({ ca: `${certificate.ca}\n` });
    expect(connections.size).toBe(2);
  });

  test('of trust stores long unused are closed', async () => {
    // Far longer than the test: idleness does not close them.
    server.keepAliveTimeout = 600_000;
    await send();
    const [first] = connections;
    const ended = once(first!, 'close');
    for (let i = 1; i <= 16; i++) await send({ ca: certificate.ca + '\n'.repeat(i) });
    await ended;
    await expect(send()).resolves.toMatchObject({ status: 200 });
  });
});

describe('closing', () => {
  test('ends exchanges in flight and refuses new ones, twice as well as once', async () => {
    const arrived = new Promise<void>((resolve) => {
      handler = () => resolve();
    });
    const answer = send();
    const outcome = expect(answer).rejects.toMatchObject({ failure: 'aborted' });
    await arrived;
    await Promise.all([transport.close(), transport.close()]);
    await outcome;
    await transport.close();
    await expect(send()).rejects.toMatchObject({ failure: 'aborted' });
  });

  test('before anything was sent is fine', async () => {
    await expect(createTransport({ userAgent: 'x' }).close()).resolves.toBeUndefined();
  });
});
