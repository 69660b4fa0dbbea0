import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import type { HttpBindings as NodeBindings } from '@hono/node-server';
import type { Hono } from 'hono';
import { ServerCore } from '../core/index.js';
import type { ServerCoreOptions } from '../core/index.js';
import { createApp } from './app.js';
import type { AppOptions, HttpBindings } from './app.js';
import { Connections } from './connections.js';
import { handleParserErrors, refuseUnread } from './parser-errors.js';

/** How an {@link HttpHost} is set up. Times are milliseconds. */
export interface HttpHostOptions extends ServerCoreOptions, AppOptions {
  /** Methods that are enabled from the start, where nothing is enabled yet. */
  readonly mounts?: readonly { readonly path: string; readonly type: string }[];
  /** Within which the headers of a request must have come; default 10 s. */
  readonly headersTimeout?: number;
  /** Within which a whole request must have come; default 30 s. */
  readonly requestTimeout?: number;
  /** For which an idle connection is kept; default 5 s. */
  readonly keepAliveTimeout?: number;
  /** How often the first two are looked at; default 1 s. */
  readonly timeoutCheckInterval?: number;
  /** Bytes of a request's line and headers; default 16 KiB. */
  readonly maxHeaderSize?: number;
  /** How long {@link HttpHost.close} waits for requests in flight; default 30 s. */
  readonly shutdownTimeout?: number;
}

/** Where a server listens. */
export interface ListenOptions {
  /** Default 0: any free port. */
  readonly port?: number;
  /** Default `127.0.0.1`. */
  readonly host?: string;
}

/** A secrets server on HTTP. */
export class HttpHost {
  /**
   * The server without a socket: to be mounted in another one, or called with `app.fetch`. There, the method LIST depends on
   * the server in front; `GET` with `?list=true` always works.
   */
  readonly app: Hono<{ Bindings: HttpBindings }>;
  readonly #core: ServerCore;
  readonly #options: HttpHostOptions;
  readonly #servers: { server: Server; connections: Connections }[] = [];
  #closed: Promise<void> | undefined;

  constructor(core: ServerCore, options: HttpHostOptions) {
    this.#core = core;
    this.#options = options;
    this.app = createApp(core, options);
  }

  /** The token that may do everything. Secret. */
  get rootToken(): string {
    return this.#core.rootToken;
  }

  /**
   * Starts to listen. Like any hono server, it puts lighter versions in the place of the process's `Request` and `Response`.
   * Rejects with the system's error when the address cannot be had.
   */
  async listen({ port = 0, host = '127.0.0.1' }: ListenOptions = {}): Promise<{ url: string; port: number }> {
    const server = this.#createServer();
    server.listen(port, host);
    await once(server, 'listening');
    const { port: bound } = server.address() as AddressInfo;
    const url = `http://${host.includes(':') ? `[${host}]` : host}:${bound}`;
    this.#core.identityTokens.baseUrl ??= url;
    return { url, port: bound };
  }

  /**
   * Stops accepting, ends idle connections, finishes the requests in flight as long as `shutdownTimeout` allows, and then ends
   * the backends. May be called twice.
   */
  close(): Promise<void> {
    this.#closed ??= this.#shutDown();
    return this.#closed;
  }

  #createServer(): Server {
    const refuse = (remoteAddress?: string): Response => {
      const { body, ...init } = refuseUnread(this.#core.logger, 400, remoteAddress, undefined);
      return new Response(body, init);
    };
    const fetchApp = (request: Request, { incoming }: NodeBindings): Response | Promise<Response> => {
      const { headers, httpVersion, socket, url } = incoming;
      if (headers.host === undefined && httpVersion !== '1.0') return refuse(socket.remoteAddress);
      return this.app.fetch(request, { remoteAddress: socket.remoteAddress, target: url });
    };
    const listener = getRequestListener((request, bindings) => fetchApp(request, bindings as NodeBindings), {
      hostname: 'localhost',
      // What hono does by default: its own Request and Response answer almost twice as many logins.
      overrideGlobalObjects: true,
      // A target or host that makes no URL: the app never sees it.
      errorHandler: () => refuse(),
    });
    const server = createServer(
      {
        headersTimeout: this.#options.headersTimeout ?? 10_000,
        requestTimeout: this.#options.requestTimeout ?? 30_000,
        keepAliveTimeout: this.#options.keepAliveTimeout ?? 5_000,
        connectionsCheckingInterval: this.#options.timeoutCheckInterval ?? 1_000,
        maxHeaderSize: this.#options.maxHeaderSize ?? 16_384,
        // Node would answer without a `request` event, and the method LIST be given to the next request.
        requireHostHeader: false,
      },
      (request, response) => void listener(request, response),
    );
    const connections = new Connections(server);
    handleParserErrors(server, connections, this.#core.logger);
    this.#servers.push({ server, connections });
    return server;
  }

  async #shutDown(): Promise<void> {
    await Promise.all(this.#servers.map((each) => this.#shutDownServer(each)));
    await this.#core.close();
  }

  async #shutDownServer({ server, connections }: { server: Server; connections: Connections }): Promise<void> {
    if (!server.listening) return;
    const closed = once(server, 'close');
    server.close();
    // A request that is still coming in on a connection with others before it is served as the last.
    server.prependListener('request', (_, response) => response.setHeader('connection', 'close'));
    connections.drain();
    const timer = setTimeout(() => server.closeAllConnections(), this.#options.shutdownTimeout ?? 30_000);
    await closed;
    clearTimeout(timer);
  }
}

/** Starts an {@link HttpHost}; it listens once told to. */
export async function createHttpHost(options: HttpHostOptions): Promise<HttpHost> {
  const core = await ServerCore.start(options);
  for (const { path, type } of options.mounts ?? []) await core.ensureMounted(path, type);
  try {
    return new HttpHost(core, options);
  } catch (error) {
    await core.close();
    throw error;
  }
}
