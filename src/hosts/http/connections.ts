import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Knows the open connections of a server and which responses it still owes on each. */
export class Connections {
  readonly #owed = new Map<Socket, Set<ServerResponse>>();

  constructor(server: Server) {
    server.prependListener('connection', (connection: Socket) => {
      this.#owed.set(connection, new Set());
      connection.once('close', () => this.#owed.delete(connection));
    });
    server.prependListener('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
      const owed = this.#owed.get(socket);
      owed?.add(response);
      response.once('close', () => owed?.delete(response));
    });
  }

  /** Responses owed on a connection, in order. */
  owedOn(connection: Socket): ServerResponse[] {
    return [...(this.#owed.get(connection) ?? [])];
  }

  /** Resolves when everything owed on a connection has been sent, or can no longer be. */
  async settled(connection: Socket): Promise<void> {
    const owed = this.owedOn(connection);
    await Promise.all(owed.map((response) => new Promise((resolve) => response.once('close', resolve))));
  }

  /** Ends connections on which nothing is owed, and the others as soon as everything is sent. */
  drain(): void {
    for (const [connection, owed] of this.#owed) {
      const last = [...owed].at(-1);
      if (last === undefined) connection.destroy();
      else if (!last.headersSent) last.setHeader('connection', 'close');
    }
  }
}
