import type { ComputeManagementClientOptionalParams } from '@azure/arm-compute';
import type { CloudEnvironment, OutboundResponse } from '../contract/index.js';
import { AnswerHeaders } from './answer-headers.js';
import type { Credential } from './credential.js';
import type { Failures } from './failures.js';
import type { Send } from './retry.js';

/** What the resource manager's SDKs send their requests with. */
export type HttpClient = NonNullable<ComputeManagementClientOptionalParams['httpClient']>;

interface HttpClientOptions {
  readonly environment: CloudEnvironment;
  readonly credential: Credential;
  readonly send: Send;
  readonly failures: Failures;
}

/**
 * Takes the SDKs' requests to the resource manager, and nowhere else. It only reads, authorizes each request itself, so that
 * all clients share one token, and lets only answers of status 200 through: the SDKs' own handling of errors, redirects and
 * retries never comes into play.
 */
export function createHttpClient({ environment, credential, send, failures }: HttpClientOptions): HttpClient {
  const { origin } = new URL(environment.resourceManagerEndpoint);

  return {
    async sendRequest(request) {
      if (request.method !== 'GET' || new URL(request.url).origin !== origin) {
        throw new Error('The access token is for reading from the resource manager only.');
      }
      // Every lookup passes one, and the pipeline has made it a native one.
      const signal = request.abortSignal as AbortSignal;
      const get = (token: string): Promise<OutboundResponse> =>
        send({
          method: 'GET',
          url: request.url,
          headers: { accept: 'application/json', authorization: `Bearer ${token}` },
          signal,
          ...(environment.ca === undefined ? {} : { ca: environment.ca }),
        });

      const token = await credential.token(signal);
      let answer = await get(token);
      if (answer.status === 401) {
        const other = await credential.replacement(token, signal);
        if (other !== undefined) answer = await get(other);
      }

      if (answer.status !== 200) throw failures.fromAnswer('resource manager', answer);
      const bodyAsText = new TextDecoder('utf-8', { fatal: true }).decode(answer.body);
      return { request, status: 200, headers: new AnswerHeaders(answer.headers), bodyAsText };
    },
  };
}
