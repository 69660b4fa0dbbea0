import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Logger } from '../../contract/index.js';
import type { Connections } from './connections.js';
import { ListMethod } from './list-method.js';
import type { ParserError } from './list-method.js';

/** Milliseconds in which a refused sender may read why. */
const LINGER = 2_000;

const STATUSES: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/**
 * Deals with what Node's parser refuses: a LIST is let through ({@link ListMethod}); anything else is answered in the usual
 * form, after everything owed before it, and ends the connection.
 */
export function handleParserErrors(server: Server, connections: Connections, logger: Logger): void {
  const listMethod = new ListMethod(server, connections);
  const busy = new WeakSet<Socket>();

  const handle = async (error: ParserError, connection: Socket): Promise<void> => {
    const { code = '' } = error;
    if (busy.has(connection)) {
      // The parser that gave up still has its clock. What is owed has clocks of its own.
      if (code !== 'ERR_HTTP_REQUEST_TIMEOUT') connection.destroy();
      return;
    }
    busy.add(connection);
    const [first, ...more] = connections.owedOn(connection);
    const incomplete = (more.at(-1) ?? first)?.req.complete === false;
    if (!connection.writable || (incomplete && (more.length > 0 || first?.headersSent))) {
      connection.destroy();
      return;
    }
    // A request whose body went wrong is never answered otherwise; anything before it is answered first.
    if (!incomplete && (await listMethod.takeOver(error, connection))) {
      busy.delete(connection);
      return;
    }
    if (!connection.destroyed)
      answer(connection, refuseUnread(logger, STATUSES[code] ?? 400, connection.remoteAddress, code));
  };

  const listener: (error: ParserError, connection: Socket) => void = (error, connection) =>
    void handle(error, connection);
  server.on('checkExpectation', ({ socket }: IncomingMessage, response: ServerResponse) => {
    const { status, headers, body } = refuseUnread(logger, 417, socket.remoteAddress, undefined);
    response.writeHead(status, { ...headers, connection: 'close', 'content-length': body.length }).end(body);
  });
  server.on('clientError', listener as (error: Error, connection: Duplex) => void);
}

/** The answer to a request that could not even be read. Writes the log line. */
export function refuseUnread(
  logger: Logger,
  status: number,
  remoteAddress: string | undefined,
  code: string | undefined,
): { status: number; headers: Record<string, string>; body: string } {
  const id = randomUUID();
  logger.info('request refused', { request_id: id, remote_address: remoteAddress, status, code });
  return {
    status,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store', 'x-request-id': id },
    body: JSON.stringify({ errors: [`the request was refused: ${STATUS_CODES[status] ?? ''}`] }),
  };
}

function answer(connection: Socket, { status, headers, body }: ReturnType<typeof refuseUnread>): void {
  const lines = Object.entries({ ...headers, connection: 'close', 'content-length': String(body.length) });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  connection.removeAllListeners('data');
  connection.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${head}\r\n${body}`);
  // Bytes left unread would make the system reset the connection, and the answer be lost.
  connection.resume();
  setTimeout(() => connection.destroy(), LINGER).unref();
}
