import { createBackend } from '../backend.js';
import type { CloudEnvironment, Storage } from '../contract/index.js';
import { createHttpHost, jsonLogger } from '../hosts/http/index.js';
import type { HttpHostOptions, LogLevel } from '../hosts/http/index.js';
import type { DialectName } from '../paths/dialect.js';
import { VERSION } from '../version.js';
import type { ListenAddress } from './listen-address.js';

/** How to start a server. */
export interface StartServerOptions {
  /** Default: a free port on loopback. */
  readonly listen?: ListenAddress;
  readonly rootToken?: string;
  /** Default `cloud`. */
  readonly dialect?: DialectName;
  /** Where the method is enabled from the start; absent: nowhere. */
  readonly mount?: string;
  readonly environments?: readonly CloudEnvironment[];
  readonly logLevel: LogLevel;
  /** Where everything is kept. Default: in memory. */
  readonly storage?: Storage;
  /** URL under which the directory reaches the server. Default: where it listens. */
  readonly baseUrl?: string;
  /** Seconds that what the cloud said serves further logins. Default: as long as the method thinks right. */
  readonly lookupTtl?: number;
}

/** A server that listens. */
export interface RunningServer {
  readonly url: string;
  /** Secret. */
  readonly rootToken: string;
  close(): Promise<void>;
}

/** Starts an HTTP server with the method. Rejects with the system's error when it cannot listen. */
export async function startServer(options: StartServerOptions): Promise<RunningServer> {
  const {
    listen,
    rootToken,
    dialect = 'cloud',
    mount,
    environments = [],
    logLevel,
    storage,
    baseUrl,
    lookupTtl,
  } = options;
  const factory: HttpHostOptions['factories'][string] = (services) =>
    createBackend(services, { dialect, environments, ...(lookupTtl !== undefined && { lookupTtl }) });
  const host = await createHttpHost({
    // Clients of the other dialect enable the method by the name that it has there.
    factories: { cloud: factory, ...(dialect === 'vault' && { azure: factory }) },
    ...(mount !== undefined && { mounts: [{ path: mount, type: 'cloud' }] }),
    ...(rootToken !== undefined && { rootToken }),
    ...(storage !== undefined && { storage }),
    ...(baseUrl !== undefined && { baseUrl }),
    vaultHeaders: dialect === 'vault',
    logger: jsonLogger(process.stderr, logLevel),
    product: `cloud-identity-auth-server/${VERSION}`,
  });
  try {
    const { url } = await host.listen(listen);
    return { url, rootToken: host.rootToken, close: () => host.close() };
  } catch (error) {
    await host.close();
    throw error;
  }
}
