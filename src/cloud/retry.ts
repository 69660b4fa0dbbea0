import { OutboundError } from '../contract/index.js';
import type {
  Clock,
  CloudConfiguration,
  OutboundRequest,
  OutboundResponse,
  OutboundTransport,
} from '../contract/index.js';
import { parseRetryAfter } from './retry-after.js';
import { deadlineOf, withDeadline } from './signals.js';

/** Sends one request, as often as it takes. Settles as {@link OutboundTransport.send} does. */
export type Send = (request: OutboundRequest) => Promise<OutboundResponse>;

type Outcome = PromiseSettledResult<OutboundResponse>;

/** When to try again, as configured. */
export type RetryLimits = Pick<CloudConfiguration, 'maxAttempts' | 'retryDelay' | 'maxRetryDelay'>;

const TRANSIENT_STATUSES = new Set([408, 429, 500, 502, 503, 504]);
/** An attempt that others may follow gets this part of the time left at most. */
const MAX_SHARE = 1 / 3;

/**
 * Repeats requests that met a lost connection or a transient status (spec 2.1, `max_retries`, `retry_delay`,
 * `max_retry_delay`). It stops early when the provider asks for more patience than `maxRetryDelay`, when the request's
 * deadline would pass before the next attempt, and when its signal aborts between attempts: the last outcome is then the
 * outcome.
 *
 * No attempt takes the time of those that may follow it: what is not answered in its share of the time counts as lost.
 */
export function retrying(transport: Pick<OutboundTransport, 'send'>, clock: Clock, limits: RetryLimits): Send {
  return async (request) => {
    const deadline = deadlineOf(request.signal) ?? Infinity;
    for (let attempt = 1; ; attempt++) {
      const attemptsLeft = limits.maxAttempts - attempt;
      const share = (deadline - clock.now()) * Math.max(MAX_SHARE, 1 / (attemptsLeft + 1));
      const isBounded = attemptsLeft > 0 && share < Infinity;
      const sent = isBounded ? sendWithin(share, transport, clock, request) : transport.send(request);
      const [outcome] = await Promise.allSettled([sent]);
      const last = attemptsLeft <= 0 || !isTransient(outcome);
      const delay = last ? undefined : delayAfter(attempt, outcome, limits, clock.now());
      const isHopeless = delay === undefined || clock.now() + delay * 1000 >= deadline;
      if (isHopeless || !(await slept(clock, delay, request.signal))) return unwrap(outcome);
    }
  };
}

/** Sends a request that counts as lost after that many milliseconds. */
function sendWithin(
  milliseconds: number,
  transport: Pick<OutboundTransport, 'send'>,
  clock: Clock,
  request: OutboundRequest,
): Promise<OutboundResponse> {
  return withDeadline(clock, milliseconds, async (own) => {
    try {
      return await transport.send({ ...request, signal: AbortSignal.any([request.signal, own]) });
    } catch (error) {
      throw own.aborted && error instanceof OutboundError ? new OutboundError('connection', error.message) : error;
    }
  });
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
