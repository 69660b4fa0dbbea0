import { AuthMethodError } from '../../src/contract/index.js';
import type { Auth, Backend, BackendFactory, HostServices, Request, Response } from '../../src/contract/index.js';

/** What a {@link fakeBackend} lets tests see and steer. */
export interface FakeBackend {
  readonly factory: BackendFactory;
  /** Services of the mounts, in the order they were made. */
  readonly services: HostServices[];
  /** Every request that reached a backend. */
  readonly requests: Request[];
  /** Backends that were cleaned up. */
  cleanups: number;
  /** Ticks that reached a backend. */
  ticks: number;
  /** Awaited by every login and renewal. */
  gate: Promise<unknown>;
  /** What logins and renewals grant beside the defaults. */
  grant: Partial<Auth>;
  /** Thrown by renewals. */
  refuseRenewal: Error | undefined;
  /** Thrown when a backend is initialized. */
  refuseStart: Error | undefined;
}

/**
 * An auth method for tests of hosts: roles are stored as they come, and a login with `{ role, jwt: 'canary-good' }` is let in
 * as what the fields of `grant` say.
 */
export function fakeBackend(grant: Partial<Auth> = {}): FakeBackend {
  const fake: FakeBackend = {
    services: [],
    requests: [],
    cleanups: 0,
    ticks: 0,
    gate: Promise.resolve(),
    grant,
    refuseRenewal: undefined,
    refuseStart: undefined,
    factory: (services) => {
      fake.services.push(services);
      return new FakeMethod(fake, services);
    },
  };
  return fake;
}

const DEFAULTS: Auth = {
  policies: ['dev'],
  ttl: 0,
  maxTtl: 0,
  explicitMaxTtl: 0,
  period: 0,
  numUses: 0,
  tokenType: '',
  boundCidrs: [],
  noDefaultPolicy: false,
  renewable: true,
  displayName: 'machine',
  alias: { name: 'principal-1', metadata: {} },
  groupAliases: [],
  metadata: { role: 'dev' },
  internalData: { role: 'dev' },
};

class FakeMethod implements Backend {
  readonly specialPaths = { unauthenticated: ['login'], sealWrapped: [] };
  readonly #fake: FakeBackend;
  readonly #services: HostServices;

  constructor(fake: FakeBackend, services: HostServices) {
    this.#fake = fake;
    this.#services = services;
  }

  async initialize(): Promise<void> {
    if (this.#fake.refuseStart !== undefined) throw this.#fake.refuseStart;
    await this.#services.storage.put('started', new Uint8Array());
  }

  async handleRequest(request: Request): Promise<Response | undefined> {
    this.#fake.requests.push(request);
    const path = request.path.replace(/\/$/, '');
    if (path === 'login') return this.#login(request);
    if (path === 'bug') throw new TypeError('the detail of a bug');
    if (path === 'busy') throw new AuthMethodError('provider_unavailable', 'the cloud is busy', { retryAfter: 1.5 });
    if (path === 'role') return this.#list(request);
    if (path.startsWith('role/')) return this.#role(path, request);
    throw new AuthMethodError('not_found', 'no such path');
  }

  async existenceCheck({ path }: Request): Promise<boolean | undefined> {
    return path.startsWith('role/') ? (await this.#services.storage.get(path)) !== undefined : undefined;
  }

  periodic(): Promise<void> {
    this.#fake.ticks += 1;
    return Promise.resolve();
  }

  invalidate(): void {
    // Nothing is cached.
  }

  cleanup(): Promise<void> {
    this.#fake.cleanups += 1;
    return Promise.resolve();
  }

  help(path: string): ReturnType<Backend['help']> {
    if (path !== '' && path !== 'login') return undefined;
    return { synopsis: 'A method for tests.', description: 'Lets canaries in.', fields: { role: 'Who you are.' } };
  }

  openapi(): ReturnType<Backend['openapi']> {
    const paths = { '/login': { post: { summary: 'Log in' } } };
    return { openapi: '3.0.2', info: {}, paths, components: { schemas: { Login: { type: 'object' } } } };
  }

  async #login({ operation, data, path }: Request): Promise<Response> {
    const renewing = operation === 'renew';
    if (!renewing && operation !== 'update') {
      throw new AuthMethodError('unsupported_operation', `${path} does not take ${operation}`);
    }
    await this.#fake.gate;
    if (renewing && this.#fake.refuseRenewal !== undefined) throw this.#fake.refuseRenewal;
    if (!renewing && data?.['jwt'] !== 'canary-good') {
      throw new AuthMethodError('login_denied', 'the identity token is not valid', { rule: 'token_signature' });
    }
    return { auth: { ...DEFAULTS, ...this.#fake.grant } };
  }

  async #list({ operation }: Request): Promise<Response> {
    if (operation !== 'list') throw new AuthMethodError('unsupported_operation', 'role takes only list');
    return { data: { keys: await this.#services.storage.list('role/') } };
  }

  async #role(path: string, { operation, data = {} }: Request): Promise<Response | undefined> {
    const { storage } = this.#services;
    if (operation === 'delete') {
      await storage.delete(path);
      return undefined;
    }
    if (operation === 'read') {
      const stored = await storage.get(path);
      return stored && { data: JSON.parse(new TextDecoder().decode(stored)) as Record<string, unknown> };
    }
    if (operation === 'list') throw new AuthMethodError('unsupported_operation', 'a role is no folder');
    if (typeof data['ttl'] === 'object') {
      throw new AuthMethodError('invalid_request', 'ttl: got an object; takes seconds', { field: 'ttl' });
    }
    await storage.put(path, new TextEncoder().encode(JSON.stringify(data)));
    return 'surprise' in data ? { warnings: ['unknown fields were ignored: "surprise"'] } : undefined;
  }
}
