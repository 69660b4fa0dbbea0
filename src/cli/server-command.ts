import { AuthMethodError } from '../contract/index.js';
import type { LogLevel } from '../hosts/http/index.js';
import type { DialectName } from '../paths/dialect.js';
import type { FileStorage } from '../storage/index.js';
import { CommandFailure } from './command-failure.js';
import { listenFailure, parseListenAddress } from './listen-address.js';
import type { ListenAddress } from './listen-address.js';
import { openStorage } from './server-storage.js';
import type { StorageOptions } from './server-storage.js';
import { startServer } from './server.js';
import type { RunningServer, StartServerOptions } from './server.js';
import { untilStopped } from './until-stopped.js';

/** Options of the command `server`. */
export interface ServerOptions extends StorageOptions {
  readonly baseUrl?: string;
  readonly listen: string;
  readonly rootToken?: string;
  readonly dialect: DialectName;
  readonly mount: string;
  readonly simulator?: true;
  readonly logLevel: LogLevel;
}

/** Runs a server until it is stopped; logins in flight are finished. */
export async function server(options: ServerOptions): Promise<void> {
  const listen = parseListenAddress(options.listen);
  const storage = await openStorage(options, process.env);
  try {
    await serve(options, listen, storage);
  } finally {
    await storage?.close();
  }
}

async function serve(options: ServerOptions, listen: ListenAddress, storage?: FileStorage): Promise<void> {
  const { rootToken, dialect, mount, logLevel, baseUrl } = options;
  const world = options.simulator && (await startWorld());
  try {
    const running = await start(listen, {
      listen,
      dialect,
      mount,
      logLevel,
      ...(rootToken !== undefined && { rootToken }),
      ...(world && { environments: [world.environment] }),
      ...(storage && { storage }),
      ...(baseUrl !== undefined && { baseUrl }),
    });
    const login = rootToken === undefined ? `, root token ${running.rootToken}` : '';
    const stopped = untilStopped();
    process.stdout.write(`server ready at ${running.url}, method enabled at auth/${mount}${login}\n`);
    await stopped;
    await running.close();
  } finally {
    await world?.close();
  }
}

async function start(listen: ListenAddress, options: StartServerOptions): Promise<RunningServer> {
  try {
    return await startServer(options);
  } catch (error) {
    if (!(error instanceof AuthMethodError)) throw listenFailure(error, listen);
    // The storage below knows which file it is.
    throw new CommandFailure(error.cause instanceof AuthMethodError ? error.cause.message : error.message);
  }
}

/** Loaded only when asked for: a server against the real cloud does without. */
async function startWorld(): Promise<{
  environment: NonNullable<StartServerOptions['environments']>[number];
  close: () => Promise<void>;
}> {
  const { describeWorld, startSampleWorld } = await import('./sample-world.js');
  const world = await startSampleWorld();
  process.stdout.write(describeWorld(world));
  return { environment: world.simulator.environment, close: () => world.simulator.close() };
}
