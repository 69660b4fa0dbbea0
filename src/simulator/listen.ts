import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Where a server listens. */
export interface ListenOptions {
  /** Address to bind. Default: `127.0.0.1`. */
  readonly host?: string;
  /** Default: a free one. */
  readonly port?: number;
}

/** A server that listens. */
export interface Endpoint {
  /** Base URL without a trailing slash. */
  readonly url: string;
  /** Stops it and cuts its connections. May be called twice. */
  close(): Promise<void>;
}

/** Starts a server. Rejects when it cannot bind. */
export async function listen(server: Server, scheme: 'http' | 'https', options: ListenOptions): Promise<Endpoint> {
  const { host = '127.0.0.1', port = 0 } = options;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
  const bound = (server.address() as AddressInfo).port;
  return {
    url: `${scheme}://${reachable(host)}:${bound}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** The host part of a URL that reaches the bound address from this machine. */
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}
