import { OutboundError } from '../contract/index.js';
import type { Clock, CloudConfiguration, OutboundResponse, OutboundTransport } from '../contract/index.js';
import { parseStrictObject } from './strict-json.js';
import type { JsonObject } from './strict-json.js';
import { withTimeout } from './with-timeout.js';

const TRANSIENT_STATUSES = new Set([408, 429, 500, 502, 503, 504]);
/** An attempt that others may follow gets this part of the time left at most. */
const MAX_SHARE = 1 / 3;

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
 * Gets a JSON object from the directory. Outages are retried as the configuration says and as long as the deadline allows. An
 * attempt that others may follow gets only its share of the time left.
 *
 * @throws {@link DocumentError} of the last attempt.
 */
export async function fetchDocument(url: string, context: FetchContext): Promise<JsonObject> {
  const { clock, configuration, deadline, signal } = context;
  for (let attempt = 1; ; attempt++) {
    const attemptsLeft = configuration.maxAttempts - attempt;
    try {
      if (attemptsLeft <= 0) return await fetchOnce(url, context);
      const share = (deadline - clock.now()) * Math.max(MAX_SHARE, 1 / (attemptsLeft + 1));
      return await withTimeout(clock, share, signal, (own) => fetchOnce(url, { ...context, signal: own }));
    } catch (error) {
      if (!(error instanceof DocumentError) || !error.transient || attemptsLeft <= 0) throw error;
      const delay = delayAfter(attempt, error.retryAfter, configuration);
      if (clock.now() + delay >= deadline) throw error;
      await clock.sleep(delay, signal);
    }
  }
}

/** Milliseconds. Endless when the directory asks for a longer pause than is allowed. */
function delayAfter(attempt: number, wanted: number, { retryDelay, maxRetryDelay }: CloudConfiguration): number {
  if (wanted > maxRetryDelay) return Infinity;
  const doubled = Math.min(retryDelay * 2 ** (attempt - 1), maxRetryDelay);
  // Servers that failed together must not come back together.
  const jittered = doubled * (0.5 + Math.random() / 2);
  return Math.max(wanted, jittered) * 1000;
}

async function fetchOnce(url: string, context: FetchContext): Promise<JsonObject> {
  const { host, pathname } = new URL(url);
  const name = `${host}${pathname}`;
  const answer = await send(url, context);
  if (answer.status !== 200) {
    const transient = TRANSIENT_STATUSES.has(answer.status);
    const retryAfter = readRetryAfter(answer, context.clock.now());
    throw new DocumentError(`${name} answered with status ${answer.status}.`, transient, retryAfter);
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
    // One that was aborted is tried again if there is still time: then it was its share that had passed.
    throw new DocumentError(error.message, error.failure !== 'too_large');
  }
}

/** Whole seconds, from either form of the header; 0 without a readable one. */
function readRetryAfter({ headers }: OutboundResponse, now: number): number {
  const { 'retry-after': header = '' } = headers;
  if (/^\d{1,9}$/.test(header)) return Number(header);
  const date = Date.parse(header);
  return Number.isNaN(date) ? 0 : Math.max(0, Math.ceil((date - now) / 1000));
}
