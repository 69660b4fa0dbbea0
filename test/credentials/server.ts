import { setTimeout as wait } from 'node:timers/promises';
import { createBackend } from '../../src/backend.js';
import type { Clock } from '../../src/contract/index.js';
import { createHttpHost } from '../../src/hosts/http/index.js';
import type { HttpHost } from '../../src/hosts/http/index.js';
import type { Call, Machine, Simulator } from '../../src/simulator/index.js';
import { recordingLogger } from '../support/logger.js';

/** Audience of the tokens that machines log in with. */
export const RESOURCE = 'https://secrets.example.com';

/** Token of the server's administrator. */
export const ROOT = 'canary-root';

/** The system's time, and how far a test has moved it. */
export class ShiftedClock implements Clock {
  /** Milliseconds ahead of the system. */
  offset = 0;
  readonly now = (): number => Date.now() + this.offset;

  sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
    return wait(milliseconds, undefined, { ...(signal && { signal }) });
  }
}

/** An answer of the server. */
export interface Reply {
  readonly status: number;
  readonly data: Readonly<Record<string, unknown>>;
  readonly errors: readonly string[];
}

/** Speaks to a secrets server, wherever it runs. */
export class ServerClient {
  constructor(
    readonly url: string,
    readonly cloud: Simulator,
  ) {}

  async ask(method: string, path: string, body?: object): Promise<Reply> {
    const answer = await fetch(`${this.url}/v1/${path}`, {
      method,
      headers: { 'x-service-token': ROOT, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    const parsed = JSON.parse((await answer.text()) || '{}') as Partial<Reply>;
    return { status: answer.status, data: parsed.data ?? {}, errors: parsed.errors ?? [] };
  }

  /** Configures a mount for the simulated cloud, with a role `dev` whose logins ask the cloud about the machine. */
  async configure(fields: object, { mount = 'cloud', role = {} } = {}): Promise<void> {
    const config = { tenant_id: this.cloud.tenantId, resource: RESOURCE, max_retries: 1 };
    const bounds = { bound_resource_groups: [this.cloud.resourceGroup], bound_group_ids: [] };
    for (const [path, data] of [
      ['config', { ...config, ...fields }],
      ['role/dev', { ...bounds, ...role }],
    ] as const) {
      const { status, errors } = await this.ask('POST', `auth/${mount}/${path}`, data);
      if (status !== 204) throw new Error(`${path} was answered with ${status}: ${errors.join()}`);
    }
  }

  /** A login of a machine with a token of its own. */
  async login(
    machine: Machine,
    { mount = 'cloud', groups }: { mount?: string; groups?: 'overage' } = {},
  ): Promise<Reply> {
    const jwt = await this.cloud.tokenFor(machine, { resource: RESOURCE, ...(groups && { groups }) });
    const { subscriptionId, resourceGroup, name } = machine;
    const named = { subscription_id: subscriptionId, resource_group_name: resourceGroup, vm_name: name };
    return this.ask('POST', `auth/${mount}/login`, { role: 'dev', jwt, ...named });
  }

  /** Subject of the identity tokens of a mount, as an operator finds it. */
  async subject(mount = 'cloud'): Promise<string> {
    const { data } = await this.ask('GET', 'sys/auth');
    const { accessor } = data[`${mount}/`] as { accessor: string };
    return `plugin-identity:root:auth:${accessor}`;
  }
}

/** How a {@link CredentialServer} is set up. */
export interface ServerOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly clock?: Clock;
  readonly baseUrl?: string;
}

/** A secrets server in this process with the mounts `cloud` and `other`; everything that can be logged is logged. */
export class CredentialServer extends ServerClient {
  readonly logger;
  readonly #host: HttpHost;

  private constructor(url: string, cloud: Simulator, host: HttpHost, logger: ReturnType<typeof recordingLogger>) {
    super(url, cloud);
    this.logger = logger;
    this.#host = host;
  }

  static async start(cloud: Simulator, { env = {}, ...options }: ServerOptions = {}): Promise<CredentialServer> {
    const logger = recordingLogger();
    const host = await createHttpHost({
      factories: {
        cloud: (services) =>
          createBackend(services, {
            environments: [cloud.environment],
            env: { ...env, AZURE_SDK_GO_LOGGING: 'all' },
            lookupTtl: 0,
            providerTimeout: 3,
          }),
      },
      mounts: ['cloud', 'other'].map((path) => ({ path, type: 'cloud' })),
      rootToken: ROOT,
      logger,
      ...options,
    });
    const { url } = await host.listen();
    return new CredentialServer(url, cloud, host, logger);
  }

  /** The directory's numbers for the refusals so far. */
  get refusals(): unknown[] {
    return this.logger.lines.flatMap(({ fields }) => fields['number'] ?? []);
  }

  close(): Promise<void> {
    return this.#host.close();
  }
}

/** Requests for access tokens that reached the directory. */
export function tokenRequests(cloud: Simulator): readonly Call[] {
  return cloud.calls({ service: 'authority', path: /oauth2\/v2\.0\/token/ });
}
