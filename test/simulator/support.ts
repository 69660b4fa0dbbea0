import { request as httpRequest } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { Client } from '@microsoft/microsoft-graph-client';
import type { Application, Simulator } from '../../src/simulator/index.js';

export interface Reply {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  /** The body as JSON. */
  json(): Record<string, unknown>;
}

export interface RequestOptions {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
  ca?: string;
  /** Name to expect in the certificate, when the `Host` header does not say. */
  servername?: string;
  signal?: AbortSignal;
}

/** One request on a connection of its own, where the `Host` header and the path go out as given. */
export function send(url: string, options: RequestOptions = {}): Promise<Reply> {
  const { body, ...rest } = options;
  const [, origin = '', path = '/'] = /^(https?:\/\/[^/]+)(\/.*)?$/.exec(url) ?? [];
  const { protocol, hostname, port } = new URL(origin);
  const target = { ...rest, hostname: hostname.replace(/^\[|\]$/g, ''), port, path, agent: false as const };
  return new Promise((resolve, reject) => {
    const outgoing = (protocol === 'https:' ? httpsRequest : httpRequest)(target, (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('error', reject);
      incoming.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        const json = (): Record<string, unknown> => JSON.parse(text) as Record<string, unknown>;
        resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, text, json });
      });
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

/** A request to the simulator, trusting its authority. */
export function ask(simulator: Simulator, path: string, options: RequestOptions = {}): Promise<Reply> {
  return send(simulator.url + path, { ca: simulator.caPem, ...options });
}

/** Posts a form to a token endpoint. */
export function postForm(simulator: Simulator, path: string, form: Record<string, string>): Promise<Reply> {
  return ask(simulator, path, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(form).toString(),
  });
}

/** The answer to a token request for Graph with that secret. */
export function requestToken(simulator: Simulator, clientId: string, secret: string): Promise<Reply> {
  return postForm(simulator, `/${simulator.tenantId}/oauth2/v2.0/token`, {
    grant_type: 'client_credentials',
    client_id: clientId,
    client_secret: secret,
    scope: 'https://graph.microsoft.com/.default',
  });
}

/** An application's token for the resource manager, got as a client would. */
export async function resourceManagerToken(simulator: Simulator, application: Application): Promise<string> {
  const reply = await postForm(simulator, `/${simulator.tenantId}/oauth2/v2.0/token`, {
    grant_type: 'client_credentials',
    client_id: application.clientId,
    client_secret: application.clientSecret,
    scope: 'https://management.azure.com/.default',
  });
  return String(reply.json()['access_token']);
}

/** A credential for the SDKs: an application's tokens for one audience, a new one each time. */
export function credentialOf(
  simulator: Simulator,
  application: Application,
  resource = 'https://management.azure.com',
): { getToken(): Promise<{ token: string; expiresOnTimestamp: number }> } {
  return {
    getToken: async () => ({
      token: await simulator.applicationToken(application, { resource }),
      expiresOnTimestamp: Date.now() + 3_600_000,
    }),
  };
}

/** The directory's client as a caller has it, trusting the simulator's authority. */
export function graphClient(simulator: Simulator, caller: Application): Client {
  return Client.initWithMiddleware({
    baseUrl: simulator.url,
    middleware: {
      execute: async (context) => {
        const { token } = await credentialOf(simulator, caller, 'https://graph.microsoft.com').getToken();
        const { pathname, search } = new URL(context.request as string);
        const reply = await ask(simulator, pathname + search, {
          method: context.options?.method ?? 'GET',
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
          ...(typeof context.options?.body === 'string' && { body: context.options.body }),
        });
        context.response = new Response(reply.status === 204 ? null : reply.text, {
          status: reply.status,
          headers: { 'content-type': 'application/json' },
        });
      },
    },
  });
}
