import type { Client, Context } from '@microsoft/microsoft-graph-client';
import type { CloudEnvironment } from '../contract/index.js';
import type { Failures, Provider } from './failures.js';
import type { Send } from './retry.js';

/** The directory's graph: parsed answers, and failures as errors of this package. Paths are not encoded here. */
export interface GraphClient {
  get(path: string, signal: AbortSignal): Promise<unknown>;
  /** Resolves to `null` where the answer has no content. */
  post(path: string, body: unknown, signal: AbortSignal): Promise<unknown>;
}

/** What {@link createGraphClient} takes. */
export interface GraphClientOptions {
  readonly environment: CloudEnvironment;
  /** Adds the access token. */
  readonly send: Send;
  readonly failures: Failures;
  /** What is asked, for errors. */
  readonly provider: Provider;
}

/** The SDK is loaded at first use. Its own handling of tokens, errors, redirects and retries never comes into play. */
export function createGraphClient({ environment, send, failures, provider }: GraphClientOptions): GraphClient {
  const exchange = async ({ request, options }: Context, signal: AbortSignal): Promise<Response> => {
    const body = options?.body as string | undefined;
    const answer = await send({
      method: options?.method === 'POST' ? 'POST' : 'GET',
      url: request as string,
      headers: { accept: 'application/json', ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body }),
      signal,
      ...(environment.ca === undefined ? {} : { ca: environment.ca }),
    });
    if (answer.status === 204) return new Response(null, { status: 204 });
    if (answer.status !== 200 && answer.status !== 201) throw failures.fromAnswer(provider, answer);
    const text = new TextDecoder('utf-8', { fatal: true }).decode(answer.body);
    return new Response(text, { status: 200, headers: { 'content-type': 'application/json' } });
  };

  const call = async (signal: AbortSignal, ask: (client: Client) => Promise<unknown>): Promise<unknown> => {
    const { Client } = await import('@microsoft/microsoft-graph-client');
    // The SDK replaces what its middleware throws.
    let failure: unknown;
    const middleware = {
      execute: async (context: Context): Promise<void> => {
        context.response = await exchange(context, signal).catch((error: unknown) => {
          throw (failure = error);
        });
      },
    };
    const client = Client.initWithMiddleware({
      baseUrl: environment.graphEndpoint,
      defaultVersion: 'v1.0',
      middleware,
    });
    return ask(client).catch((error: unknown) => {
      throw failure ?? error;
    });
  };

  return {
    get: (path, signal) => call(signal, (client) => client.api(path).get() as Promise<unknown>),
    post: (path, body, signal) => call(signal, (client) => client.api(path).post(body) as Promise<unknown>),
  };
}
