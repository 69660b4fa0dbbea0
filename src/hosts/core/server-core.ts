import { randomBytes } from 'node:crypto';
import { AuthMethodError, toPublicError } from '../../contract/index.js';
import type { BackendFactory, Clock, Logger, PublicError, Storage } from '../../contract/index.js';
import { MemoryStorage } from '../../storage/index.js';
import { BatchTokens } from './batch-tokens.js';
import type { HostAnswer, HostRequest } from './host-request.js';
import { identityRoute } from './identity-routes.js';
import { IdentityTokens } from './identity-tokens.js';
import { jsonLogger } from './json-logger.js';
import { mountRoute } from './mount-route.js';
import { UNTUNED } from './mount.js';
import { MountTable } from './mount-table.js';
import { FORGETFUL, Records } from './records.js';
import { permit } from './route.js';
import type { Route } from './route.js';
import { systemClock } from './system-clock.js';
import { sysRoute } from './sys-routes.js';
import { TokenAuthority } from './token-authority.js';
import { tokenRoute } from './token-routes.js';
import { TokenStore } from './token-store.js';
import { TOKEN_SYNTAX } from './token-syntax.js';

const DAY = 86_400;
const TICK = 5_000;
const IDENTITY = 'identity/oidc/plugins/';

/** How a server is set up. */
export interface ServerCoreOptions {
  /** Makers of backends by the type that operators enable, for instance `{ cloud: createBackend }`. */
  readonly factories: Readonly<Record<string, BackendFactory>>;
  /** Where mounts and tokens are kept, and taken up at the next start. Default: in memory, for as long as the server lives. */
  readonly storage?: Storage;
  readonly clock?: Clock;
  /** Default: JSON lines of level `info` on standard error. */
  readonly logger?: Logger;
  /** The token that may do everything; default a random one. Secret. */
  readonly rootToken?: string;
  /** Seconds a token lives by default; default 32 days. */
  readonly defaultLeaseTtl?: number;
  /** Seconds a token lives at most; default 32 days. */
  readonly maxLeaseTtl?: number;
  /** Product and version for user agents, and the version that health reports; default empty. */
  readonly product?: string;
  /**
   * URL under which the directory reaches this server, for plugin identity tokens: their issuer is
   * `{baseUrl}/v1/identity/oidc/plugins`. Default: where it listens first, if it does.
   */
  readonly baseUrl?: string;
}

/**
 * A small secrets server without a wire: mounts, service tokens, permissions and dispatch. The memory and HTTP hosts put
 * their own front before it.
 */
export class ServerCore {
  /** Secret. */
  readonly rootToken: string;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly mounts: MountTable;
  readonly identityTokens: IdentityTokens;
  readonly #tokens: TokenStore;
  readonly #authority: TokenAuthority;
  readonly #limits: { defaultLeaseTtl: number; maxLeaseTtl: number };
  readonly #product: string;
  #timer: NodeJS.Timeout | undefined;
  #ticking = false;
  #closed = false;

  private constructor(options: ServerCoreOptions) {
    const { clock = systemClock, product = '', storage = new MemoryStorage() } = options;
    const { rootToken = `s.${randomBytes(24).toString('base64url')}`, logger = jsonLogger(process.stderr) } = options;
    if (!TOKEN_SYNTAX.test(rootToken)) {
      throw new AuthMethodError('invalid_request', 'rootToken: takes visible ASCII characters without commas');
    }
    const records = new Records(storage);
    this.rootToken = rootToken;
    this.clock = clock;
    this.logger = logger;
    this.#product = product;
    this.#limits = {
      defaultLeaseTtl: options.defaultLeaseTtl ?? 32 * DAY,
      maxLeaseTtl: options.maxLeaseTtl ?? 32 * DAY,
    };
    const factories = new Map(Object.entries(options.factories));
    this.identityTokens = new IdentityTokens(records, clock, logger, parseBaseUrl(options.baseUrl));
    const { identityTokens } = this;
    const limits = this.#limits;
    this.mounts = new MountTable({ factories, storage, records, clock, logger, limits, product, identityTokens });
    // Without a storage of the host's there is no next start, and nothing to write tokens for.
    const tokenRecords = options.storage === undefined ? FORGETFUL : records;
    this.#tokens = new TokenStore({ records: tokenRecords, clock, logger, rootToken });
    this.#authority = new TokenAuthority(this.#tokens, new BatchTokens(clock), clock, (id) => this.mounts.findById(id));
  }

  /** Starts a server with the mounts and tokens that its storage holds. */
  static async start(options: ServerCoreOptions): Promise<ServerCore> {
    const core = new ServerCore(options);
    try {
      await core.mounts.load();
      await core.#tokens.load((mountId) => core.mounts.findById(mountId) !== undefined);
    } catch (error) {
      await core.close();
      throw error;
    }
    core.#timer = setInterval(() => void core.tick(), TICK).unref();
    return core;
  }

  /** Enables a method with default settings, unless one is at this path already. Where that fails, the server is closed. */
  async ensureMounted(path: string, type: string): Promise<void> {
    if (this.mounts.list().some(({ record }) => record.path === path)) return;
    try {
      await this.mounts.enable({ path, type, options: {}, tuning: UNTUNED });
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  /**
   * Serves one request: finds its path, checks its token, and calls what is there. `undefined` means "done, nothing to say"
   * for writes and deletes and "nothing there" for reads.
   */
  async handle(request: HostRequest): Promise<HostAnswer | undefined> {
    if (this.#closed) throw new AuthMethodError('provider_unavailable', 'the server is shutting down');
    const route = this.#route(request.path);
    if (route.access === 'open') return route.serve(request);
    const { token, caller } = await this.#authority.authenticate(request.token, request.remoteAddress);
    permit(route.access, caller);
    return route.serve({ ...request, token, caller });
  }

  /** Logs a failed request in one line, and decides what its sender is told. */
  reportFailure(request: Omit<HostRequest, 'data' | 'token'>, error: unknown): PublicError {
    const told = toPublicError(error);
    const { path } = request;
    const mount = path.startsWith('auth/') ? this.mounts.resolve(path.slice('auth/'.length))?.mount : undefined;
    const fields = {
      request_id: request.id,
      remote_address: request.remoteAddress,
      operation: request.operation,
      mount: mount?.record.path,
      // Some clients put the token to look up behind such a path.
      path: path.startsWith('auth/token/') ? path.split('/', 3).join('/') : path,
      status: told.status,
      code: told.code,
      ...(error instanceof AuthMethodError && { rule: error.rule, field: error.field }),
    };
    if (told.status >= 500) this.logger.error('request failed', { ...fields, error });
    else if (told.status === 403) this.logger.warn('request refused', fields);
    else this.logger.info('request refused', fields);
    return told;
  }

  /** The regular work: removes expired tokens and gives each backend its tick. Runs by itself every few seconds. */
  async tick(): Promise<void> {
    if (this.#ticking) return;
    this.#ticking = true;
    await this.#tokens.sweep();
    for (const { backend, record } of this.mounts.list()) {
      try {
        await backend.periodic(this.clock.now());
      } catch (error) {
        this.logger.error('the periodic work of an auth method failed', { mount: record.path, error });
      }
    }
    this.#ticking = false;
  }

  /** Stops the regular work and ends all backends. What is stored stays. May be called twice. */
  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#timer);
    await this.mounts.close();
  }

  #route(path: string): Route {
    const route = this.#findRoute(path);
    if (route === undefined) throw new AuthMethodError('not_found', 'no such path');
    return route;
  }

  #findRoute(path: string): Route | undefined {
    if (path.startsWith('auth/token/')) {
      return tokenRoute(path.slice('auth/token/'.length), this.#authority, this.#limits);
    }
    if (path.startsWith('auth/')) return mountRoute(path.slice('auth/'.length), this.mounts, this.#authority);
    if (path.startsWith(IDENTITY)) return identityRoute(path.slice(IDENTITY.length), this.identityTokens);
    if (!path.startsWith('sys/')) return undefined;
    return sysRoute(path.slice('sys/'.length), {
      mounts: this.mounts,
      tokens: this.#tokens,
      clock: this.clock,
      version: this.#product,
    });
  }
}

function parseBaseUrl(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain = url?.search === '' && url.hash === '' && url.username === '' && url.password === '';
  if (!isPlain || !['http:', 'https:'].includes(url.protocol)) {
    throw new AuthMethodError(
      'invalid_request',
      `baseUrl: got ${JSON.stringify(text)}; takes a URL such as https://secrets.example.com`,
    );
  }
  return url.href.replace(/\/+$/, '');
}
