import type { Context } from '@microsoft/microsoft-graph-client';
import type { CloudEnvironment } from '../contract/index.js';
import type { Failures } from './failures.js';
import { isRecord, isText } from './records.js';
import type { Send } from './retry.js';

/** What is asked of the directory beside access tokens. */
export interface Graph {
  /**
   * Which of at most 20 groups a principal is in, directly or through other groups.
   *
   * Rejects with `not_found` when there is no such principal. The ids must be GUIDs: nothing here encodes them.
   */
  checkMemberGroups(objectId: string, groupIds: readonly string[], signal: AbortSignal): Promise<readonly string[]>;
}

interface GraphOptions {
  readonly environment: CloudEnvironment;
  /** Adds the access token. */
  readonly send: Send;
  readonly failures: Failures;
}

/**
 * The directory's graph through its SDK, which is loaded at first use. The SDK's own handling of tokens, errors, redirects and
 * retries never comes into play.
 */
export function createGraph({ environment, send, failures }: GraphOptions): Graph {
  const exchange = async ({ request, options }: Context, signal: AbortSignal): Promise<Response> => {
    const answer = await send({
      method: 'POST',
      url: request as string,
      headers: { accept: 'application/json', 'content-type': 'application/json' },
      body: options?.body as string,
      signal,
      ...(environment.ca === undefined ? {} : { ca: environment.ca }),
    });
    if (answer.status !== 200) throw failures.fromAnswer('graph', answer);
    const text = new TextDecoder('utf-8', { fatal: true }).decode(answer.body);
    return new Response(text, { status: 200, headers: { 'content-type': 'application/json' } });
  };

  const post = async (path: string, body: unknown, signal: AbortSignal): Promise<unknown> => {
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
    return client
      .api(path)
      .post(body)
      .catch((error: unknown) => {
        throw failure ?? error;
      });
  };

  return {
    async checkMemberGroups(objectId, groupIds, signal) {
      const answer = await post(`/directoryObjects/${objectId}/checkMemberGroups`, { groupIds }, signal);
      const ids: unknown = isRecord(answer) ? answer['value'] : undefined;
      if (!Array.isArray(ids) || !ids.every(isText)) throw new Error('groups that are no list of ids');
      return ids;
    },
  };
}
