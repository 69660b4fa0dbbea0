import { randomUUID } from 'node:crypto';
import { AuthMethodError } from '../../contract/index.js';
import type { BackendFactory, Storage } from '../../contract/index.js';
import { jsonLogger, ServerCore } from '../core/index.js';
import type { GrantedAuth, HostAnswer, HostOperation, ServerCoreOptions } from '../core/index.js';

/** How a {@link MemoryHost} is set up. */
export interface MemoryHostOptions extends Omit<ServerCoreOptions, 'factories'> {
  /** Makes the backend, for instance `createBackend`. */
  readonly factory: BackendFactory;
  /** Where the method is mounted; default `cloud`. */
  readonly mount?: string;
}

/** Who a request comes from. */
export interface Caller {
  /** Service token; default the root token. Secret. */
  readonly token?: string;
  /** IP address; default `127.0.0.1`. */
  readonly remoteAddress?: string;
}

/** Body of a request. */
export type RequestData = Readonly<Record<string, unknown>>;

/**
 * A whole secrets server with one auth method, in this process and without a wire: for unit tests of roles and for embedding.
 * Tokens, permissions and lifetimes are those of the HTTP host.
 *
 * Paths are below the mount (`role/dev`), or, with a leading slash, those of the server (`/auth/token/create`). Every method
 * rejects with `AuthMethodError`.
 */
export class MemoryHost {
  readonly #core: ServerCore;
  /** Where the method is mounted, and how it is known to policies. */
  readonly mount: { readonly path: string; readonly accessor: string };
  /** What the backend stored. */
  readonly storage: Storage;

  constructor(core: ServerCore, mountPath: string) {
    const { record, storage } = core.mounts.at(mountPath);
    this.#core = core;
    this.mount = { path: mountPath, accessor: record.accessor };
    this.storage = storage;
  }

  /** The token that may do everything. Secret. */
  get rootToken(): string {
    return this.#core.rootToken;
  }

  /** Creates or changes what is at a path. */
  async write(path: string, data: RequestData = {}, caller?: Caller): Promise<HostAnswer | undefined> {
    return this.#handle('write', path, data, caller);
  }

  /** `undefined` when nothing is there. */
  async read(path: string, caller?: Caller): Promise<HostAnswer | undefined> {
    return this.#handle('read', path, undefined, caller);
  }

  async list(path: string, caller?: Caller): Promise<HostAnswer | undefined> {
    return this.#handle('list', path, undefined, caller);
  }

  async delete(path: string, caller?: Caller): Promise<HostAnswer | undefined> {
    return this.#handle('delete', path, undefined, caller);
  }

  async help(path: string, caller?: Caller): Promise<HostAnswer | undefined> {
    return this.#handle('help', path, undefined, caller);
  }

  /** Logs in. For warnings, write to `login` instead. */
  async login(data: RequestData, caller?: Pick<Caller, 'remoteAddress'>): Promise<GrantedAuth> {
    return granted(await this.#handle('write', 'login', data, caller));
  }

  /** Prolongs a token as its owner; uses are counted. */
  async renew(token: string, caller?: Pick<Caller, 'remoteAddress'>): Promise<GrantedAuth> {
    return granted(await this.#handle('write', '/auth/token/renew-self', {}, { ...caller, token }));
  }

  /** What the server knows of a token, in wire spelling. Counts no use. */
  async lookup(token: string): Promise<Readonly<Record<string, unknown>>> {
    return (await this.#handle('write', '/auth/token/lookup', { token }))?.data ?? {};
  }

  /** Ends a token and all that were made with it. */
  async revoke(token: string): Promise<void> {
    await this.#handle('write', '/auth/token/revoke', { token });
  }

  /** Does the regular work now: expired tokens, the backend's periodic tick. */
  async tick(): Promise<void> {
    await this.#core.tick();
  }

  /** Ends the backend. May be called twice. */
  async close(): Promise<void> {
    await this.#core.close();
  }

  async #handle(
    operation: HostOperation,
    path: string,
    data: RequestData | undefined,
    { token = this.rootToken, remoteAddress = '127.0.0.1' }: Caller = {},
  ): Promise<HostAnswer | undefined> {
    const whole = path.startsWith('/') ? path.slice(1) : `auth/${this.mount.path}/${path}`;
    const request = { id: randomUUID(), operation, path: whole, token, remoteAddress, ...(data && { data }) };
    try {
      return await this.#core.handle(request);
    } catch (error) {
      this.#core.reportFailure(request, error);
      throw error;
    }
  }
}

/** Starts a {@link MemoryHost}. A storage that holds a mount at this path already is taken up where it was left. */
export async function createMemoryHost(options: MemoryHostOptions): Promise<MemoryHost> {
  const { factory, mount = 'cloud', ...rest } = options;
  const logger = options.logger ?? jsonLogger(process.stderr, 'error');
  const core = await ServerCore.start({ ...rest, factories: { cloud: factory }, logger });
  await core.ensureMounted(mount, 'cloud');
  return new MemoryHost(core, mount);
}

function granted(answer: HostAnswer | undefined): GrantedAuth {
  if (answer?.auth === undefined) throw new AuthMethodError('internal', 'the backend gave no auth');
  return answer.auth;
}
