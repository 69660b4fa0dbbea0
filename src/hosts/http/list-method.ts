import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Connections } from './connections.js';
import { HeldBytes } from './held-bytes.js';

const METHOD = 'LIST ';
/** Letters of the method that Node's parser accepts before it gives up, because LINK begins with them. */
const ACCEPTED = 2;
/** UNLINK is a method too: with these letters in front, it may be that one which went wrong. */
const LONGER = 'UN';
const REMEMBERED = ACCEPTED + LONGER.length;

/** What Node tells about bytes that its parser refused. */
export interface ParserError extends Error {
  readonly code?: string;
  readonly rawPacket?: Buffer;
  /** Where in `rawPacket` the parser gave up. */
  readonly bytesParsed?: number;
}

/**
 * Makes a server understand the HTTP method `LIST`, which Node's parser refuses before any handler runs.
 *
 * When the parser gives up in a method, and what stands there is `LIST `, the connection is taken from the server, the method
 * is overwritten with `GET`, and the connection with its unread bytes is handed back to the server as if it were new. The
 * first request that comes out of it is given its method back. The parser does everything else, so that where messages begin
 * and end is never decided here.
 *
 * - Only `LIST` in capitals and followed by a space counts, at the beginning of a message. `UNLIST` and `LISTEN` do not.
 * - It may come first, later or pipelined behind other requests, and in any number of pieces. Answers keep their order: the
 *   connection is handed back once everything owed on it is sent.
 * - `LIST` directly behind a body that ends in `UN` is refused: it cannot be told from `UNLIST`. No JSON object ends so.
 * - It is for plain sockets, not for TLS and not for HTTP/2.
 */
export class ListMethod {
  readonly #server: Server;
  readonly #connections: Connections;
  /** The last bytes of each connection before the chunk that the parser works on, and with it. */
  readonly #tails = new WeakMap<Socket, { before: string; after: string }>();
  /** Connections whose next request is a LIST. */
  readonly #listing = new WeakSet<Socket>();

  constructor(server: Server, connections: Connections) {
    this.#server = server;
    this.#connections = connections;
    server.on('connection', (connection: Socket) => this.#remember(connection));
    server.prependListener('request', (request: IncomingMessage) => this.#restoreMethod(request));
    // Such a request never becomes a `request` event. It must not leave its method to the next one.
    server.prependListener('checkExpectation', (request: IncomingMessage) => this.#restoreMethod(request));
  }

  /**
   * Takes over a connection whose parser gave up, if that was because of a LIST. Resolves to whether it was. Either way,
   * nothing is owed on the connection any more, and the server reads no further from it unless it was.
   */
  async takeOver(error: ParserError, connection: Socket): Promise<boolean> {
    const unread = this.#unreadFrom(error, connection);
    const held = new HeldBytes(connection, unread ?? Buffer.alloc(0));
    await this.#connections.settled(connection);
    if (unread === undefined) return false;
    // The rest of the method must come as soon as the rest of the headers would have to.
    connection.setTimeout(this.#server.headersTimeout);
    const bytes = await held.atLeast(METHOD.length);
    if (bytes?.toString('latin1', 0, METHOD.length) !== METHOD) return false;
    this.#handBack(connection, bytes);
    return true;
  }

  /** The parser's error shows only the last packet; the method may have begun in an earlier one. */
  #remember(connection: Socket): void {
    const tail = { before: '', after: '' };
    this.#tails.set(connection, tail);
    connection.prependListener('data', (chunk: Buffer) => {
      tail.before = tail.after;
      tail.after = (tail.after + chunk.toString('latin1', Math.max(0, chunk.length - REMEMBERED))).slice(-REMEMBERED);
    });
  }

  #restoreMethod(request: IncomingMessage): void {
    if (this.#listing.delete(request.socket)) request.method = 'LIST';
  }

  /** The unread bytes, from the first letter of the method, if they begin like a LIST as far as they go. */
  #unreadFrom({ code, rawPacket, bytesParsed = 0 }: ParserError, connection: Socket): Buffer | undefined {
    if (code !== 'HPE_INVALID_METHOD' || rawPacket === undefined) return undefined;
    const before = this.#tails.get(connection)?.before ?? '';
    const seen = before + rawPacket.toString('latin1', 0, bytesParsed + METHOD.length);
    const start = before.length + bytesParsed - ACCEPTED;
    if (start < 0 || seen.slice(0, start).endsWith(LONGER)) return undefined;
    if (!METHOD.startsWith(seen.slice(start, start + METHOD.length))) return undefined;
    if (start >= before.length) return rawPacket.subarray(start - before.length);
    return Buffer.concat([Buffer.from(before.slice(start), 'latin1'), rawPacket]);
  }

  #handBack(connection: Socket, bytes: Buffer): void {
    if (connection.destroyed || connection.readableEnded) return;
    letGo(connection);
    const request = bytes.subarray(METHOD.length - 'GET '.length);
    request.write('GET ', 'latin1');
    this.#listing.add(connection);
    connection.unshift(request);
    this.#server.emit('connection', connection);
    connection.resume();
  }
}

/** Makes the server forget a connection as if it had closed: its parser is freed and its clocks stop. */
function letGo(connection: Socket): void {
  connection.emit('close', false);
  for (const event of ['data', 'end', 'close', 'drain', 'error', 'timeout', 'pause', 'resume']) {
    connection.removeAllListeners(event);
  }
  connection.setTimeout(0);
}
