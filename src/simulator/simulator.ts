import { randomUUID } from 'node:crypto';
import { createServer as createHttpServer } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { CloudEnvironment } from '../contract/index.js';
import { createAuthority } from './authority.js';
import type { Call, CallFilter } from './calls.js';
import type { Handler } from './exchange.js';
import type { Fault, FaultHandle } from './faults.js';
import { Front } from './front.js';
import { createGraph } from './graph.js';
import type { Actor } from './identities.js';
import { listen } from './listen.js';
import type { Endpoint, ListenOptions } from './listen.js';
import { createInstanceMetadata } from './metadata/instance-metadata.js';
import type { MetadataWorld } from './metadata/identity-tokens.js';
import { createMetadataProtocol } from './metadata/metadata-service.js';
import type { MetadataService, MetadataServiceOptions } from './metadata/metadata-service.js';
import { createResourceManager } from './resource-manager.js';
import type { Defaults } from './resources.js';
import { SERVER_NAMES, SERVICES, serviceFor } from './routing.js';
import type { Service } from './routing.js';
import { SigningKeys } from './signing-keys.js';
import { World } from './world.js';
import type { WorldOptions } from './world.js';
import { createServerCertificate } from './x509.js';

/** How to start a simulator. Ids that are left out are random; group and location are `group` and `westeurope`. */
export interface SimulatorOptions extends ListenOptions, Partial<Defaults> {
  /** Name of {@link Simulator.environment}. Default: `CloudPublicCloud`, so that it takes the public cloud's place. */
  readonly environmentName?: string;
  /** Time of the simulated cloud, in milliseconds since the Unix epoch. Default: the real one. TLS always goes by the real one. */
  readonly now?: () => number;
  /** Resources on one page of a list. Default: 100. */
  readonly pageSize?: number;
}

/**
 * Starts a simulated cloud: directory, Graph, resource manager and metadata services on real sockets, with its own certificate
 * authority. Rejects when it cannot bind its port.
 */
export async function startSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
  const names = options.host === undefined ? SERVER_NAMES : [...new Set([...SERVER_NAMES, options.host])];
  const { ca, certificate, privateKey } = createServerCertificate(names);
  const server = createHttpsServer({ cert: certificate, key: privateKey });
  const [keys, endpoint] = await Promise.all([SigningKeys.create(), listen(server, 'https', options)]);
  const simulator = new Simulator(options, keys, endpoint, ca);
  server.on('request', simulator.listener());
  return simulator;
}

/** A running simulated cloud. What it inherits is the world it serves. */
export class Simulator extends World {
  /** Base URL of all its services but the metadata services of machines. */
  readonly url: string;
  /** Its certificate authority, PEM. */
  readonly caPem: string;
  /** How to reach it, for configurations. */
  readonly environment: CloudEnvironment;
  readonly #front = new Front();
  readonly #endpoints: Endpoint[];
  readonly #handlers: Readonly<Record<Service, Handler>>;

  /** For {@link startSimulator}. */
  constructor(options: SimulatorOptions, keys: SigningKeys, endpoint: Endpoint, caPem: string) {
    super(worldOptions(options, keys, endpoint.url));
    this.url = endpoint.url;
    this.caPem = caPem;
    this.#endpoints = [endpoint];
    this.environment = {
      name: options.environmentName ?? 'CloudPublicCloud',
      aliases: [],
      authorityHost: this.url,
      resourceManagerEndpoint: this.url,
      resourceManagerAudience: 'https://management.azure.com',
      graphEndpoint: this.url,
      ca: caPem,
    };
    this.#handlers = {
      authority: createAuthority(this),
      'resource-manager': createResourceManager(this, options.pageSize ?? 100),
      graph: createGraph(this),
      metadata: createInstanceMetadata(this.#seenBy(() => this.machine())),
    };
  }

  /**
   * Starts the metadata service that a machine or other resource sees: plain HTTP on a port of its own, in the protocol of its
   * type. Without this, the first machine's is to be had under the host name 169.254.169.254 and, on loopback names, under the
   * path `/metadata`. Rejects when it cannot bind its port.
   */
  async metadataService(actor: Actor, options: MetadataServiceOptions = {}): Promise<MetadataService> {
    const server = createHttpServer();
    const endpoint = await listen(server, 'http', options);
    const world = this.#seenBy(() => this.actor(actor));
    const { handler, env, keys } = createMetadataProtocol(actor, world, options);
    server.on(
      'request',
      this.#front.listener('http', () => ({ service: 'metadata', handler })),
    );
    const service = {
      url: endpoint.url,
      env: env(endpoint.url),
      ...(keys && { keyDirectory: keys.directory }),
      close: async () => {
        await endpoint.close();
        keys?.close();
      },
    };
    this.#endpoints.push(service);
    return service;
  }

  /** Delays all answers of a service, or of all services, by that many milliseconds; 0 ends it. */
  setLatency(milliseconds: number, service?: Service): void {
    this.#front.setLatency(milliseconds, service === undefined ? SERVICES : [service]);
  }

  /** Makes calls go wrong until the handle is removed or the fault has befallen as many as it says. */
  fail(fault: Fault): FaultHandle {
    return this.#front.faults.add(fault);
  }

  /** Calls that reached the simulator since the start or {@link resetCalls}, oldest first. Very old ones are forgotten. */
  calls(filter?: CallFilter): readonly Call[] {
    return this.#front.calls(filter);
  }

  /** Forgets the calls so far. */
  resetCalls(): void {
    this.#front.resetCalls();
  }

  /** Stops all servers and cuts their connections. May be called twice. */
  async close(): Promise<void> {
    this.#front.close();
    await Promise.all(this.#endpoints.map((endpoint) => endpoint.close()));
  }

  /** For {@link startSimulator}. */
  listener(): ReturnType<Front['listener']> {
    return this.#front.listener('https', (host, path) => {
      const service = serviceFor(host, path);
      return service && { service, handler: this.#handlers[service] };
    });
  }

  #seenBy(actor: MetadataWorld['actor']): MetadataWorld {
    return { now: this.now, actor, tokenFor: (current, options) => this.tokenFor(current, options) };
  }
}

function worldOptions(options: SimulatorOptions, keys: SigningKeys, url: string): WorldOptions {
  return {
    tenantId: options.tenantId ?? randomUUID(),
    subscriptionId: options.subscriptionId ?? randomUUID(),
    resourceGroup: options.resourceGroup ?? 'group',
    location: options.location ?? 'westeurope',
    authorityHost: url,
    now: options.now ?? Date.now,
    keys,
  };
}
