import { setTimeout as wait } from 'node:timers/promises';
import type {
  Clock,
  CloudConfiguration,
  CloudEnvironment,
  OutboundRequest,
  OutboundResponse,
  OutboundTransport,
} from '../../src/contract/index.js';

export const ENVIRONMENT: CloudEnvironment = {
  name: 'CloudPublicCloud',
  aliases: [],
  authorityHost: 'https://directory.example',
  resourceManagerEndpoint: 'https://manager.example',
  resourceManagerAudience: 'https://manager.example',
  graphEndpoint: 'https://graph.example',
};

export const CONFIGURATION: CloudConfiguration = {
  tenantId: '11111111-1111-1111-1111-111111111111',
  resource: 'api://canary',
  environment: ENVIRONMENT,
  clientId: '22222222-2222-2222-2222-222222222222',
  clientSecret: 'canary-client-secret',
  maxAttempts: 3,
  retryDelay: 0.01,
  maxRetryDelay: 0.02,
};

export const MACHINE = {
  subscriptionId: '33333333-3333-3333-3333-333333333333',
  resourceGroup: 'Gruppe-(ä)',
  name: '0-web.1',
};

/** The system's time, with real sleeps. */
export const SYSTEM_CLOCK: Clock = {
  now: () => Date.now(),
  sleep: (milliseconds, signal) => wait(milliseconds, undefined, { ...(signal && { signal }) }),
};

/** Milliseconds that one access token may take. */
const TOKEN_DEADLINE = 30_000;

/** A clock whose sleeps end at once and are kept, but for the deadline of access tokens, which never passes. */
export function sleeplessClock(now = Date.UTC(2026, 0, 1)): Clock & { readonly sleeps: number[] } {
  const sleeps: number[] = [];
  return {
    sleeps,
    now: () => now,
    sleep: (milliseconds) => {
      if (milliseconds === TOKEN_DEADLINE) return new Promise(() => undefined);
      sleeps.push(milliseconds);
      return Promise.resolve();
    },
  };
}

/** An answer; a body that is not text is sent as JSON. */
export function answer(status: number, body: unknown = '', headers: Record<string, string> = {}): OutboundResponse {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: new TextEncoder().encode(text) };
}

export const TOKEN_ANSWER = answer(200, {
  token_type: 'Bearer',
  expires_in: 3600,
  access_token: 'canary-access-token',
});

export const MACHINE_ANSWER = answer(200, {
  id: '/subscriptions/S/resourceGroups/G/providers/Microsoft.Compute/virtualMachines/M',
  name: 'M',
  location: 'westeurope',
});

type Reply = OutboundResponse | Error;

export interface FakeTransport extends OutboundTransport {
  readonly requests: OutboundRequest[];
}

/** A transport that answers from a function and keeps what it was asked. */
export function fakeTransport(
  reply: (request: OutboundRequest, index: number) => Reply | Promise<Reply>,
): FakeTransport {
  const requests: OutboundRequest[] = [];
  return {
    requests,
    async send(request) {
      requests.push(request);
      const outcome = await reply(request, requests.length - 1);
      if (outcome instanceof Error) throw outcome;
      return outcome;
    },
    close: () => Promise.resolve(),
  };
}

/** A cloud whose directory gives tokens and whose resource manager answers as told. */
export function fakeCloud(resource: () => Reply, token: () => Reply = () => TOKEN_ANSWER): FakeTransport {
  return fakeTransport(({ url }) => (url.startsWith(ENVIRONMENT.authorityHost) ? token() : resource()));
}

/** A cloud that answers by method, path and query of what is asked; its directory gives tokens. */
export function routedCloud(reply: (asked: string, request: OutboundRequest) => Reply | Promise<Reply>): FakeTransport {
  return fakeTransport((request) => {
    const { host, pathname, search } = new URL(request.url);
    if (`https://${host}` === ENVIRONMENT.authorityHost) return TOKEN_ANSWER;
    return reply(`${request.method} ${pathname}${search}`, request);
  });
}
