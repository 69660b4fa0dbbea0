import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Connections } from '../../src/hosts/http/connections.js';
import { handleParserErrors } from '../../src/hosts/http/parser-errors.js';
import { recordingLogger } from '../support/logger.js';
import { httpRequest, Wire } from '../support/wire.js';

let server: Server;
let port: number;
let wires: Wire[];
/** What the server was asked, in order. */
let seen: string[];
/** Answers wait for these, by path. */
let gates: Map<string, Promise<unknown>>;

beforeEach(async () => {
  seen = [];
  gates = new Map();
  wires = [];
  server = createServer({ headersTimeout: 1_000, connectionsCheckingInterval: 50 }, (request, response) => {
    void answer(request, response);
  });
  handleParserErrors(server, new Connections(server), recordingLogger());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ({ port } = server.address() as AddressInfo);
});

afterEach(async () => {
  for (const wire of wires) wire.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const line = `${request.method ?? ''} ${request.url ?? ''} ${Buffer.concat(chunks).toString()}`.trim();
  seen.push(line);
  await gates.get(request.url ?? '');
  response.setHeader('content-length', line.length).end(line);
}

async function open(): Promise<Wire> {
  const wire = await Wire.open(port);
  wires.push(wire);
  return wire;
}

/** Opens a connection and sends pieces, each after the server has read the one before. */
async function sendPieces(pieces: readonly string[]): Promise<Wire> {
  const accepted = once(server, 'connection') as Promise<[Socket]>;
  const wire = await open();
  const [socket] = await accepted;
  let sent = 0;
  for (const piece of pieces) {
    await wire.send(piece);
    sent += piece.length;
    while (socket.bytesRead < sent) await setImmediate();
  }
  return wire;
}

async function bodies(wire: Wire, count: number): Promise<(string | undefined)[]> {
  const answers = [];
  for (let index = 0; index < count; index += 1) answers.push((await wire.answer())?.body);
  return answers;
}

const LIST = httpRequest('LIST', '/list');
const GET = httpRequest('GET', '/get');
const POST = httpRequest('POST', '/post', { body: '{"a":1}' });

describe('the method LIST', () => {
  it('works alone', async () => {
    const wire = await open();
    await wire.send(LIST);
    expect(await bodies(wire, 1)).toEqual(['LIST /list']);
  });

  it('keeps the connection, for every kind of request after it', async () => {
    const wire = await open();
    for (const [request, expected] of [
      [LIST, 'LIST /list'],
      [LIST, 'LIST /list'],
      [GET, 'GET /get'],
      [POST, 'POST /post {"a":1}'],
      [LIST, 'LIST /list'],
    ] as const) {
      await wire.send(request);
      expect(await bodies(wire, 1)).toEqual([expected]);
    }
  });

  it('works pipelined behind, between and before other requests in one packet', async () => {
    const wire = await open();
    await wire.send(POST + LIST + GET + LIST + LIST + POST);
    expect(await bodies(wire, 6)).toEqual([
      'POST /post {"a":1}',
      'LIST /list',
      'GET /get',
      'LIST /list',
      'LIST /list',
      'POST /post {"a":1}',
    ]);
  });

  it('works behind a chunked body and behind blank lines', async () => {
    const wire = await open();
    const chunked = httpRequest('POST', '/post', { headers: { 'transfer-encoding': 'chunked' } });
    await wire.send(`${chunked}2\r\n{}\r\n0\r\n\r\n\r\n\r\n${LIST}`);
    expect(await bodies(wire, 2)).toEqual(['POST /post {}', 'LIST /list']);
  });

  it('takes a body', async () => {
    const wire = await open();
    await wire.send(httpRequest('LIST', '/list', { body: 'LIST /inner HTTP/1.1\r\n\r\n' }) + GET);
    expect(await bodies(wire, 2)).toEqual(['LIST /list LIST /inner HTTP/1.1', 'GET /get']);
  });

  it.each(Array.from({ length: 12 }, (_, index) => index + 1))('works split after %i bytes', async (at) => {
    const wire = await sendPieces([LIST.slice(0, at), LIST.slice(at)]);
    expect(await bodies(wire, 1)).toEqual(['LIST /list']);
  });

  it('works byte by byte, twice, behind a POST', async () => {
    const wire = await sendPieces((POST + LIST + LIST).split(''));
    expect(await bodies(wire, 3)).toEqual(['POST /post {"a":1}', 'LIST /list', 'LIST /list']);
  });

  it('answers in order when an earlier request takes its time', async () => {
    let release: () => void = () => undefined;
    gates.set('/post', new Promise<void>((resolve) => (release = resolve)));
    const wire = await open();
    await wire.send(POST + LIST + GET);
    const other = await open();
    await other.send(LIST);
    expect(await bodies(other, 1)).toEqual(['LIST /list']);
    expect(seen).toEqual(['POST /post {"a":1}', 'LIST /list']);
    release();
    expect(await bodies(wire, 3)).toEqual(['POST /post {"a":1}', 'LIST /list', 'GET /get']);
  });

  it('loses nothing that arrives while an earlier request takes its time', async () => {
    let release: () => void = () => undefined;
    gates.set('/post', new Promise<void>((resolve) => (release = resolve)));
    const wire = await open();
    await wire.send(POST + LIST);
    const big = httpRequest('POST', '/big', { body: 'x'.repeat(500_000) });
    const sent = wire.send(big + LIST);
    const other = await open();
    await other.send(GET);
    expect(await bodies(other, 1)).toEqual(['GET /get']);
    release();
    await sent;
    const answers = await bodies(wire, 4);
    expect(answers.map((body) => body?.slice(0, 10))).toEqual(['POST /post', 'LIST /list', 'POST /big ', 'LIST /list']);
  });

  it('serves many on one connection', async () => {
    const wire = await open();
    await wire.send(LIST.repeat(300));
    expect(new Set(await bodies(wire, 300))).toEqual(new Set(['LIST /list']));
    expect(seen).toHaveLength(300);
  });

  it('ends the connection when the client asks for it', async () => {
    const wire = await open();
    await wire.send(httpRequest('LIST', '/list', { headers: { connection: 'close' } }));
    expect(await bodies(wire, 1)).toEqual(['LIST /list']);
    expect(await wire.end()).toBe('');
  });

  it('is not passed on to the request after one that expects too much', async () => {
    const wire = await open();
    await wire.send(httpRequest('LIST', '/list', { headers: { expect: 'miracles' } }));
    expect((await wire.answer())?.status).toBe(417);
    await wire.end();
    expect(seen).toEqual([]);
  });

  it('is given the time it takes, whatever clocks ran before it', async () => {
    const timeouts: unknown[] = [];
    server.on('request', ({ socket }: IncomingMessage) => timeouts.push(socket.timeout));
    const wire = await open();
    await wire.send(GET);
    await bodies(wire, 1);
    await wire.send(LIST);
    await bodies(wire, 1);
    expect(timeouts.at(-1)).toBe(0);
  });

  it('is subject to the limits of any request', async () => {
    const wire = await open();
    await wire.send(httpRequest('LIST', '/list', { headers: { padding: 'x'.repeat(40_000) } }));
    expect((await wire.answer())?.status).toBe(431);
    await wire.end();
    expect(seen).toEqual([]);
  });
});

describe('what only looks like LIST', () => {
  it.each([
    'LISTEN /x HTTP/1.1\r\n\r\n',
    'LIST\t/x HTTP/1.1\r\n\r\n',
    'list /x HTTP/1.1\r\n\r\n',
    'LISt /x HTTP/1.1\r\n\r\n',
    'UNLIST /x HTTP/1.1\r\n\r\n',
    'GEST /x HTTP/1.1\r\n\r\n',
    'PUST /x HTTP/1.1\r\n\r\n',
    'XLIST /x HTTP/1.1\r\n\r\n',
    'BREW /x HTTP/1.1\r\n\r\n',
    '\0LIST /x HTTP/1.1\r\n\r\n',
  ])('is refused: %j', async (request) => {
    const wire = await open();
    await wire.send(request);
    const refusal = await wire.answer();
    expect(refusal?.status).toBe(400);
    expect(refusal?.headers).toMatchObject({ connection: 'close', 'content-type': 'application/json' });
    expect(await wire.end()).toBe('');
    expect(seen).toEqual([]);
  });

  it.each(['GE|ST /x', 'PU|ST /x', 'UN|LIST /x', 'UNLI|ST /x', 'U|N|L|I|S|T /x', 'LIS|TEN /x', 'LI|S|X /x'])(
    'is refused in pieces: %s',
    async (pieces) => {
      const [last = '', ...others] = pieces.split('|').reverse();
      const wire = await sendPieces([...others.reverse(), `${last} HTTP/1.1\r\n\r\n`]);
      expect((await wire.answer())?.status).toBe(400);
      await wire.end();
      expect(seen).toEqual([]);
    },
  );

  it('is refused after everything before it was answered', async () => {
    let release: () => void = () => undefined;
    gates.set('/post', new Promise<void>((resolve) => (release = resolve)));
    const wire = await open();
    await wire.send(`${POST}BREW /x HTTP/1.1\r\n\r\n`);
    const other = await open();
    await other.send(GET);
    await bodies(other, 1);
    release();
    expect(await bodies(wire, 1)).toEqual(['POST /post {"a":1}']);
    expect((await wire.answer())?.status).toBe(400);
    expect(await wire.end()).toBe('');
  });

  it('smuggles nothing: what follows a refused request is never read', async () => {
    const wire = await open();
    await wire.send(`UNLIST /x HTTP/1.1\r\n\r\n${GET}${LIST}`);
    expect((await wire.answer())?.status).toBe(400);
    expect(await wire.end()).toBe('');
    expect(seen).toEqual([]);
  });

  it('smuggles nothing: what stands in a body stays there', async () => {
    const wire = await open();
    await wire.send(httpRequest('POST', '/post', { body: LIST }) + GET);
    expect(await bodies(wire, 2)).toEqual([`POST /post ${LIST.trim()}`, 'GET /get']);
  });

  it('smuggles nothing: a request with two lengths is refused as a whole', async () => {
    const wire = await open();
    const headers = { 'content-length': '0', 'Content-Length': String(LIST.length) };
    await wire.send(httpRequest('LIST', '/list', { headers }) + LIST);
    expect((await wire.answer())?.status).toBe(400);
    await wire.end();
    expect(seen).toEqual([]);
  });

  it('smuggles nothing: data after a last request is not served', async () => {
    const wire = await open();
    await wire.send(httpRequest('GET', '/get', { headers: { connection: 'close' } }) + LIST);
    expect(await bodies(wire, 1)).toEqual(['GET /get']);
    await wire.end();
    expect(seen).toEqual(['GET /get']);
  });
});

describe('an unfinished LIST', () => {
  it('is given up like any unfinished request', async () => {
    const wire = await sendPieces(['LIS']);
    await wire.end();
    expect(seen).toEqual([]);
  });

  it('harms nobody when its client goes away', async () => {
    let release: () => void = () => undefined;
    gates.set('/post', new Promise<void>((resolve) => (release = resolve)));
    const leaving = await open();
    await leaving.send(POST + LIST);
    const staying = await open();
    await staying.send(GET);
    expect(await bodies(staying, 1)).toEqual(['GET /get']);
    leaving.close();
    release();
    await staying.send(LIST);
    expect(await bodies(staying, 1)).toEqual(['LIST /list']);
  });
});
