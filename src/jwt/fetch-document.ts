import { OutboundError } from '../contract/index.js';
import type { Clock, CloudConfiguration, OutboundResponse, OutboundTransport } from '../contract/index.js';
import { parseStrictObject } from './strict-json.js';
import type { JsonObject } from './strict-json.js';

/** What fetching from the directory takes. */
export interface FetchContext {
  readonly transport: OutboundTransport;
  readonly clock: Clock;
  /** Says whose certificates to trust and how often to try. */
  readonly configuration: CloudConfiguration;
  /** Ends the fetch. */
  readonly signal: AbortSignal;
  /** Milliseconds since the Unix epoch after which `signal` aborts: a retry that would start later is not waited for. */
  readonly deadline: number;
}

/** A document that could not be had, or is not what it should be. Its text names the URL's host and path, never content. */
export class DocumentError extends Error {
  override readonly name = 'DocumentError';

  constructor(
    message: string,
    /** Whether another attempt may succeed. */
    readonly transient = false,
    /** Seconds that the directory asked to wait. */
    readonly retryAfter = 0,
  ) {
    super(message);
  }
}

/**
 * Gets a JSON object from the directory. Outages are retried as the configuration says and as long as the deadline allows.
 *
 * @throws {@link DocumentError} of the last attempt.
 */
export async function fetchDocument(url: string, context: FetchContext): Promise<JsonObject> {
  const { clock, configuration, deadline, signal } = context;
  for (let attempt = 1; ; attempt++) {
    try {
      return await fetchOnce(url, context);
    } catch (error) {
      if (!(error instanceof DocumentError) || !error.transient || attempt >= configuration.maxAttempts) throw error;
      const backoff = Math.min(configuration.retryDelay * 2 ** (attempt - 1), configuration.maxRetryDelay);
      const delay = Math.max(backoff, error.retryAfter) * 1000;
      if (clock.now() + delay >= deadline) throw error;
      await clock.sleep(delay, signal);
    }
  }
}

async function fetchOnce(url: string, context: FetchContext): Promise<JsonObject> {
  const { host, pathname } = new URL(url);
  const name = `${host}${pathname}`;
  const answer = await send(url, context);
  if (answer.status !== 200) {
    const transient = answer.status === 408 || answer.status === 429 || answer.status >= 500;
    throw new DocumentError(`${name} answered with status ${answer.status}.`, transient, readRetryAfter(answer));
  }
  const document = parseStrictObject(Buffer.from(answer.body));
  if (document === undefined) throw new DocumentError(`${name} answered with something other than a JSON object.`);
  return document;
}

async function send(url: string, { transport, configuration, signal }: FetchContext): Promise<OutboundResponse> {
  const { ca } = configuration.environment;
  try {
    return await transport.send({
      method: 'GET',
      url,
      headers: { accept: 'application/json' },
      signal,
      ...(ca === undefined ? {} : { ca }),
    });
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    throw new DocumentError(error.message, error.failure === 'connection');
  }
}

/** Only seconds: the directory does not send dates. */
function readRetryAfter({ headers }: OutboundResponse): number {
  const seconds = Number(headers['retry-after']);
  return Number.isFinite(seconds) ? seconds : 0;
}
