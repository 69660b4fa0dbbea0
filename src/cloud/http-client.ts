import type { ComputeManagementClientOptionalParams } from '@azure/arm-compute';
import type { CloudEnvironment } from '../contract/index.js';
import { AnswerHeaders } from './answer-headers.js';
import type { Failures } from './failures.js';
import type { Send } from './retry.js';

/** What the resource manager's SDKs send their requests with. */
export type HttpClient = NonNullable<ComputeManagementClientOptionalParams['httpClient']>;

interface HttpClientOptions {
  readonly environment: CloudEnvironment;
  /** Adds the access token. */
  readonly send: Send;
  readonly failures: Failures;
}

/**
 * Takes the SDKs' requests to the resource manager, and nowhere else, wherever the link to a next page points. It only reads,
 * and lets only answers of status 200 through: the SDKs' own handling of errors, redirects and retries never comes into play.
 */
export function createHttpClient({ environment, send, failures }: HttpClientOptions): HttpClient {
  const { origin } = new URL(environment.resourceManagerEndpoint);

  return {
    async sendRequest(request) {
      if (request.method !== 'GET' || new URL(request.url).origin !== origin) {
        throw new Error('The access token is for reading from the resource manager only.');
      }
      const answer = await send({
        method: 'GET',
        url: request.url,
        headers: { accept: 'application/json' },
        // Every lookup passes one, and the pipeline has made it a native one.
        signal: request.abortSignal as AbortSignal,
        ...(environment.ca === undefined ? {} : { ca: environment.ca }),
      });

      if (answer.status !== 200) throw failures.fromAnswer('resource manager', answer);
      const bodyAsText = new TextDecoder('utf-8', { fatal: true }).decode(answer.body);
      return { request, status: 200, headers: new AnswerHeaders(answer.headers), bodyAsText };
    },
  };
}
