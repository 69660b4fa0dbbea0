import { createBackend } from '../../src/backend.js';
import type { BackendOptions } from '../../src/backend.js';
import { createMemoryHost } from '../../src/hosts/memory/index.js';
import type { MemoryHost } from '../../src/hosts/memory/index.js';
import { startSimulator } from '../../src/simulator/index.js';
import type {
  Actor,
  Application,
  Call,
  Machine,
  ResourceTokenOptions,
  Simulator,
  SimulatorOptions,
} from '../../src/simulator/index.js';
import { ManualClock } from '../support/clock.js';
import { recordingLogger } from '../support/logger.js';

const RESOURCE = 'https://secrets.example.com';

/** Body of a login. */
export type Login = Readonly<Record<string, string>>;

/** A simulated cloud and hosts on one clock, which only tests move. */
export class World {
  readonly #hosts: MemoryHost[] = [];

  private constructor(
    readonly clock: ManualClock,
    readonly clouds: readonly [Simulator, ...Simulator[]],
    readonly application: Application,
  ) {}

  /** Starts one cloud for each of the options. The application's credentials are good in all of them. */
  static async start(...options: [SimulatorOptions, ...SimulatorOptions[]]): Promise<World> {
    const clock = new ManualClock();
    const now = (): number => clock.now();
    const [first, ...others] = options;
    const cloud = await startSimulator({ now, ...first });
    const clouds = await Promise.all(others.map((each) => startSimulator({ now, ...each })));
    const application = cloud.addApplication();
    for (const other of clouds) other.addApplication(application);
    return new World(clock, [cloud, ...clouds], application);
  }

  /** The first cloud. */
  get cloud(): Simulator {
    return this.clouds[0];
  }

  /** A host with the method at `auth/cloud`, configured for the first cloud; its role `web` takes all that is in the group. */
  async host(options: Partial<BackendOptions> = {}): Promise<MemoryHost> {
    const environments = this.clouds.map(({ environment }) => environment);
    const host = await createMemoryHost({
      factory: (services) => createBackend(services, { environments, env: {}, ...options }),
      clock: this.clock,
      logger: recordingLogger(),
    });
    this.#hosts.push(host);
    await host.write('config', this.config());
    await host.write('role/web', { bound_resource_groups: [this.cloud.resourceGroup] });
    return host;
  }

  /** Configuration for a cloud. */
  config(cloud = this.cloud, { clientId, clientSecret } = this.application): Login {
    return {
      tenant_id: cloud.tenantId,
      resource: RESOURCE,
      environment: cloud.environment.name,
      client_id: clientId,
      client_secret: clientSecret,
      retry_delay: '0s',
    };
  }

  /** A login with a new token, which names nothing. */
  async login(actor: Actor, options: Partial<ResourceTokenOptions> = {}, cloud = this.cloud): Promise<Login> {
    const { subscriptionId, resourceGroup } = actor;
    const jwt = await cloud.tokenFor(actor, { resource: RESOURCE, ...options });
    return { role: 'web', jwt, subscription_id: subscriptionId, resource_group_name: resourceGroup };
  }

  /** A login with a new token, by `vmss_name` for an instance of a scale set and else by `vm_name`. */
  async machineLogin(machine: Machine, options: Partial<ResourceTokenOptions> = {}, cloud?: Simulator): Promise<Login> {
    const { name, scaleSet } = machine;
    const naming: Login = scaleSet === undefined ? { vm_name: name } : { vmss_name: scaleSet.name };
    return { ...(await this.login(machine, options, cloud)), ...naming };
  }

  /** As many logins of these machines in turn, each with a token of its own. */
  machineLogins(count: number, machines: readonly Machine[]): Promise<Login[]> {
    return Promise.all(
      Array.from({ length: count }, (_, index) => this.machineLogin(machines[index % machines.length]!)),
    );
  }

  /** Paths that the first cloud was asked for since the last time, without what differs between resources. */
  takeCalls(): string[] {
    const asked = this.cloud.calls().map(kindOf);
    this.cloud.resetCalls();
    return asked;
  }

  async close(): Promise<void> {
    await Promise.all(this.#hosts.map((host) => host.close()));
    await Promise.all(this.clouds.map((cloud) => cloud.close()));
  }
}

/** What a call asks for, in a word. */
export function kindOf({ path }: Call): string {
  const [plain = ''] = path.split('?');
  const kinds: [RegExp, string][] = [
    [/openid-configuration$/, 'discovery'],
    [/discovery\/(?:v2\.0\/)?keys$/, 'keys'],
    [/oauth2\/v2\.0\/token$/, 'access token'],
    [/virtualMachineScaleSets\/[^/]+$/, 'scale set'],
    [/virtualMachines\/[^/]+$/, 'machine'],
    [/userAssignedIdentities\/[^/]+$/, 'identity'],
    [/userAssignedIdentities$/, 'identities'],
    [/\/sites\/[^/]+$/, 'site'],
    [/subscriptions\/[^/]+\/providers\/[^/]+$/, 'provider'],
    [/checkMemberGroups$/, 'groups'],
  ];
  return kinds.find(([pattern]) => pattern.test(plain))?.[1] ?? plain;
}

/** Runs all logins with that many in flight; the first failure ends it. */
export async function loginAll(host: MemoryHost, logins: readonly Login[], inFlight: number): Promise<void> {
  const waiting = logins.values();
  await Promise.all(
    Array.from({ length: inFlight }, async () => {
      for (const login of waiting) await host.login(login);
    }),
  );
}
