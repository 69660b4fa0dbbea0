import { expect } from '@jest/globals';
import { createBackend } from '../../src/index.js';
import type { CloudEnvironment } from '../../src/contract/index.js';
import { createHttpHost } from '../../src/hosts/http/index.js';
import type { HttpHost } from '../../src/hosts/http/index.js';
import { startSimulator } from '../../src/simulator/index.js';
import type {
  Application,
  CallFilter,
  Fault,
  FaultHandle,
  Simulator,
  VirtualMachine,
} from '../../src/simulator/index.js';
import { recordingLogger } from '../support/logger.js';
import { LeapingClock } from './leaping-clock.js';
import type { RoleName } from './services.js';

const RESOURCE = 'https://secrets.example.com';

/** What a caller sees of a login. */
export interface Answer {
  readonly status: number;
  /** `Retry-After`, as sent. */
  readonly retryAfter: string | undefined;
  readonly text: string;
}

/** How to set up a host. Times are seconds. */
export interface HostOptions {
  readonly providerTimeout?: number;
  readonly maxRetries?: number;
  readonly retryDelay?: number;
  readonly environment?: Partial<CloudEnvironment>;
  readonly env?: Readonly<Record<string, string>>;
}

/** A simulated cloud with one machine, and hosts that know it. */
export class FaultyCloud {
  readonly #hosts: FaultyHost[] = [];
  readonly #faults: FaultHandle[] = [];

  private constructor(
    readonly simulator: Simulator,
    readonly clock: LeapingClock,
    readonly machine: VirtualMachine,
    readonly application: Application,
    readonly groupId: string,
  ) {}

  static async start(): Promise<FaultyCloud> {
    const clock = new LeapingClock();
    const simulator = await startSimulator({ now: () => clock.now() });
    const machine = simulator.addVirtualMachine({ name: 'web', systemAssigned: true });
    const application = simulator.addApplication({ clientSecret: 'canary-client-secret' });
    const group = simulator.addGroup({ members: [machine.systemAssigned!] });
    return new FaultyCloud(simulator, clock, machine, application, group.id);
  }

  /** Starts a server that has asked the cloud for nothing yet. */
  async host(options: HostOptions = {}): Promise<FaultyHost> {
    const host = await FaultyHost.start(this, options);
    this.#hosts.push(host);
    return host;
  }

  /** Breaks a service until {@link mend}, or as often as the fault says. */
  break(service: CallFilter, fault: Omit<Fault, keyof CallFilter>): FaultHandle {
    const handle = this.simulator.fail({ ...fault, ...service });
    this.#faults.push(handle);
    return handle;
  }

  mend(): void {
    for (const fault of this.#faults.splice(0)) fault.remove();
    this.simulator.setLatency(0);
  }

  /** Ends faults and hosts. */
  async reset(): Promise<void> {
    this.mend();
    await Promise.all(this.#hosts.splice(0).map((host) => host.close()));
    this.simulator.resetCalls();
    this.clock.sleeps.splice(0);
  }

  async close(): Promise<void> {
    await this.reset();
    await this.simulator.close();
  }

  /** The body of a login of a machine, with a token of its own that outlives every outage. */
  async loginOf(machine: VirtualMachine, role: RoleName): Promise<Record<string, unknown>> {
    const exp = Math.floor(this.clock.now() / 1000) + 30 * 86_400;
    const groups = role === 'grouped' ? { groups: 'overage' as const } : {};
    const jwt = await this.simulator.tokenFor(machine, { resource: RESOURCE, overrides: { exp }, ...groups });
    const { subscriptionId, resourceGroup, name } = machine;
    return { role, jwt, subscription_id: subscriptionId, resource_group_name: resourceGroup, vm_name: name };
  }

  /** The body of a login with a key id that the tenant does not publish. */
  async loginWithUnknownKey(): Promise<Record<string, unknown>> {
    const { jwt } = await this.loginOf(this.machine, 'listed');
    const claims = JSON.parse(Buffer.from(String(jwt).split('.')[1]!, 'base64url').toString()) as Record<
      string,
      unknown
    >;
    return { role: 'listed', jwt: await this.simulator.issueToken(claims, { kid: 'unknown' }) };
  }

  calls(service: CallFilter): number {
    return this.simulator.calls(service).length;
  }

  /** Resolves once a service has been called that often. */
  async called(service: CallFilter, times: number): Promise<void> {
    while (this.calls(service) < times) await new Promise(setImmediate);
  }

  /** What a role must say for its logins to depend on what its name says. */
  roleFields(name: RoleName): Record<string, unknown> {
    switch (name) {
      case 'listed':
        return { bound_service_principal_ids: [this.machine.systemAssigned!.principalId] };
      case 'placed':
        return { bound_resource_groups: [this.machine.resourceGroup] };
      case 'grouped':
        return { bound_group_ids: [this.groupId] };
    }
  }
}

/** A server on HTTP with the method mounted, and its log. */
export class FaultyHost {
  readonly logger: ReturnType<typeof recordingLogger>;
  readonly #cloud: FaultyCloud;
  readonly #host: HttpHost;
  readonly #url: string;

  private constructor(cloud: FaultyCloud, host: HttpHost, url: string, logger: FaultyHost['logger']) {
    this.#cloud = cloud;
    this.#host = host;
    this.#url = url;
    this.logger = logger;
  }

  static async start(cloud: FaultyCloud, options: HostOptions): Promise<FaultyHost> {
    const { simulator, clock, application } = cloud;
    const { providerTimeout = 30, maxRetries = 3, retryDelay = 0, env = {} } = options;
    const logger = recordingLogger();
    const environments = [{ ...simulator.environment, ...options.environment }];
    const server = await createHttpHost({
      factories: { cloud: (services) => createBackend(services, { environments, env, providerTimeout }) },
      mounts: [{ path: 'cloud', type: 'cloud' }],
      rootToken: 'canary-root-token',
      logger,
      clock,
    });
    const { url } = await server.listen();
    const host = new FaultyHost(cloud, server, url, logger);
    await host.#write('config', {
      tenant_id: simulator.tenantId,
      resource: RESOURCE,
      client_id: application.clientId,
      client_secret: application.clientSecret,
      max_retries: maxRetries,
      retry_delay: retryDelay,
    });
    for (const name of ['listed', 'placed', 'grouped'] as const) {
      await host.#write(`role/${name}`, cloud.roleFields(name));
    }
    return host;
  }

  /** Logs the machine in. */
  async login(role: RoleName): Promise<Answer> {
    return this.send(await this.#cloud.loginOf(this.#cloud.machine, role));
  }

  async send(body: Record<string, unknown>): Promise<Answer> {
    const answer = await this.#post('login', body);
    const retryAfter = answer.headers.get('retry-after') ?? undefined;
    return { status: answer.status, retryAfter, text: await answer.text() };
  }

  /** Logs in as a patient client does once the outage is over: it comes back when it was told to, at most three times. */
  async loginAfterOutage(role: RoleName): Promise<Answer> {
    let answer = await this.login(role);
    for (let attempt = 1; attempt <= 3 && answer.status === 503; attempt++) {
      this.#cloud.clock.leap(Number(answer.retryAfter) * 1000);
      answer = await this.login(role);
    }
    return answer;
  }

  close(): Promise<void> {
    return this.#host.close();
  }

  async #write(path: string, body: Record<string, unknown>): Promise<void> {
    const { status } = await this.#post(path, body, { 'x-service-token': 'canary-root-token' });
    expect(status).toBe(204);
  }

  #post(path: string, body: Record<string, unknown>, headers: Record<string, string> = {}): Promise<Response> {
    return fetch(`${this.#url}/v1/auth/cloud/${path}`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  }
}
