import { OutboundError } from '../contract/index.js';
import type {
  Clock,
  CloudConfiguration,
  OutboundRequest,
  OutboundResponse,
  OutboundTransport,
} from '../contract/index.js';
import { parseRetryAfter } from './retry-after.js';

/** Sends one request, as often as it takes. Settles as {@link OutboundTransport.send} does. */
export type Send = (request: OutboundRequest) => Promise<OutboundResponse>;

type Outcome = PromiseSettledResult<OutboundResponse>;

/** When to try again, as configured. */
export type RetryLimits = Pick<CloudConfiguration, 'maxAttempts' | 'retryDelay' | 'maxRetryDelay'>;

const TRANSIENT_STATUSES = new Set([408, 429, 500, 502, 503, 504]);

/**
 * Repeats requests that met a lost connection or a transient status (spec 2.1, `max_retries`, `retry_delay`,
 * `max_retry_delay`). It stops early when the provider asks for more patience than `maxRetryDelay`, and when the request's
 * signal aborts between attempts: the last outcome is then the outcome.
 */
export function retrying(transport: OutboundTransport, clock: Clock, limits: RetryLimits): Send {
  return async (request) => {
    for (let attempt = 1; ; attempt++) {
      const [outcome] = await Promise.allSettled([transport.send(request)]);
      const last = attempt >= limits.maxAttempts || !isTransient(outcome);
      const delay = last ? undefined : delayAfter(attempt, outcome, limits, clock.now());
      if (delay === undefined || !(await slept(clock, delay, request.signal))) return unwrap(outcome);
    }
  };
}

function isTransient(outcome: Outcome): boolean {
  if (outcome.status === 'fulfilled') return TRANSIENT_STATUSES.has(outcome.value.status);
  return outcome.reason instanceof OutboundError && outcome.reason.failure === 'connection';
}

/** Seconds to wait; `undefined` when the provider wants a longer pause than is allowed. */
function delayAfter(attempt: number, outcome: Outcome, limits: RetryLimits, now: number): number | undefined {
  const header = outcome.status === 'fulfilled' ? outcome.value.headers['retry-after'] : undefined;
  const wanted = parseRetryAfter(header, now) ?? 0;
  if (wanted > limits.maxRetryDelay) return undefined;

  const doubled = Math.min(limits.retryDelay * 2 ** (attempt - 1), limits.maxRetryDelay);
  // Callers that failed together must not come back together.
  const jittered = doubled * (0.5 + Math.random() / 2);
  return Math.max(wanted, jittered);
}

async function slept(clock: Clock, seconds: number, signal: AbortSignal): Promise<boolean> {
  try {
    await clock.sleep(seconds * 1000, signal);
    return true;
  } catch {
    return false;
  }
}

function unwrap(outcome: Outcome): OutboundResponse {
  if (outcome.status === 'rejected') throw outcome.reason;
  return outcome.value;
}
