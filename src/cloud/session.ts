import type { ComputeManagementClient } from '@azure/arm-compute';
import type { ManagedServiceIdentityClient } from '@azure/arm-msi';
import type { ResourceManagementClient } from '@azure/arm-resources';
import { LRUCache } from 'lru-cache';
import type { Clock, CloudConfiguration, OutboundTransport } from '../contract/index.js';
import { ApiVersions } from './api-versions.js';
import { authorized } from './authorized.js';
import { credentialSource } from './credential-kinds.js';
import type { CredentialSources } from './credential-kinds.js';
import { Credential } from './credential.js';
import type { Failures } from './failures.js';
import { createGraph } from './graph.js';
import type { Graph } from './graph.js';
import { createHttpClient } from './http-client.js';
import { retrying } from './retry.js';
import type { Send } from './retry.js';

/** Clients are cheap to make again; this bounds what a mount with very many subscriptions keeps. */
const MAX_SUBSCRIPTIONS = 64;

/** The HTTP client authorizes requests, for all SDK clients alike. */
const NO_CREDENTIAL = { getToken: () => Promise.resolve(null) };
const SDK_AUTHORIZATION = { name: 'bearerTokenAuthenticationPolicy' };

/** SDK clients for one configuration, which share its access tokens. */
export interface Session {
  /** Loads the SDK at first use. */
  compute(subscriptionId: string): Promise<ComputeManagementClient>;
  /** Loads the SDK at first use. */
  identities(subscriptionId: string): Promise<ManagedServiceIdentityClient>;
  /** Loads the SDK at first use. */
  resources(subscriptionId: string): Promise<ResourceManagementClient>;
  readonly apiVersions: ApiVersions;
  readonly graph: Graph;
}

/** What {@link createSession} takes. */
export interface SessionOptions extends CredentialSources {
  readonly transport: OutboundTransport;
  readonly clock: Clock;
  readonly failures: Failures;
}

/**
 * Starts a session; nothing is sent yet.
 *
 * @throws `not_configured` or `capability_missing` when the pinned kind of credential, or the first that there is, lacks something.
 */
export function createSession(configuration: CloudConfiguration, options: SessionOptions): Session {
  const { transport, clock, failures, ...sources } = options;
  const { environment } = configuration;
  const send = retrying(transport, clock, configuration);
  const sendOnce: Send = (request) => transport.send(request);
  const sendFor = (audience: string): Send => {
    const source = credentialSource(configuration, audience, { ...sources, send, failures, clock });
    return authorized({ send, sendOnce }, new Credential(source, clock, failures));
  };
  const clientOptions = {
    endpoint: environment.resourceManagerEndpoint,
    httpClient: createHttpClient({ environment, send: sendFor(environment.resourceManagerAudience), failures }),
  };

  return {
    compute: perSubscription(async (subscriptionId) => {
      const { ComputeManagementClient } = await import('@azure/arm-compute');
      const client = new ComputeManagementClient(NO_CREDENTIAL, subscriptionId, clientOptions);
      client.pipeline.removePolicy(SDK_AUTHORIZATION);
      return client;
    }),
    identities: perSubscription(async (subscriptionId) => {
      const { ManagedServiceIdentityClient } = await import('@azure/arm-msi');
      const client = new ManagedServiceIdentityClient(NO_CREDENTIAL, subscriptionId, clientOptions);
      client.pipeline.removePolicy(SDK_AUTHORIZATION);
      return client;
    }),
    resources: perSubscription(async (subscriptionId) => {
      const { ResourceManagementClient } = await import('@azure/arm-resources');
      const client = new ResourceManagementClient(NO_CREDENTIAL, subscriptionId, clientOptions);
      client.pipeline.removePolicy(SDK_AUTHORIZATION);
      return client;
    }),
    apiVersions: new ApiVersions(clock),
    graph: createGraph({ environment, send: sendFor(environment.graphEndpoint), failures }),
  };
}

function perSubscription<T extends object>(create: (subscriptionId: string) => Promise<T>): typeof create {
  const clients = new LRUCache<string, T>({ max: MAX_SUBSCRIPTIONS });
  return async (subscriptionId) => {
    const client = clients.get(subscriptionId) ?? (await create(subscriptionId));
    clients.set(subscriptionId, client);
    return client;
  };
}
