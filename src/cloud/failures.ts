import { AuthMethodError, OutboundError } from '../contract/index.js';
import type { Clock, Logger, OutboundResponse } from '../contract/index.js';
import { parseProblem } from './problem.js';
import { parseRetryAfter } from './retry-after.js';

/**
 * Who failed: the directory and the server's own metadata service hand out access tokens, resource manager and graph answer the
 * lookups, and root rotation changes the application.
 */
export type Provider = 'directory' | 'metadata service' | 'resource manager' | 'graph' | 'application';

const MISSING_CODES: Record<Provider, readonly string[]> = {
  directory: [],
  'metadata service': [],
  'resource manager': [
    'ResourceNotFound',
    'ParentResourceNotFound',
    'ResourceGroupNotFound',
    'SubscriptionNotFound',
    'InvalidResourceNamespace',
    'InvalidResourceType',
  ],
  graph: ['Request_ResourceNotFound'],
  application: ['Request_ResourceNotFound'],
};
const DIRECTORY_OUTAGE_CODES = ['temporarily_unavailable', 'server_error'];

// Both in seconds.

/** For callers of an outage of which nothing more is known. */
const USUAL_RETRY_AFTER = 5;
/** Callers are not sent away for longer, whatever a provider says. */
const MAX_RETRY_AFTER = 3_600;

const REFUSED: Record<Provider, string> = {
  directory: 'The directory refuses the configured credentials.',
  'metadata service': "This server's metadata service refuses a token: the machine does not have the identity.",
  'resource manager': 'The configured client_id may not read this resource in the cloud.',
  graph: 'The configured client_id may not read group memberships in the directory.',
  application: 'The configured client_id may not change the credentials of its application in the directory.',
};

const UNAVAILABLE: Record<Provider, string> = {
  directory: "The cloud's directory did not give an access token.",
  'metadata service':
    "This server's metadata service did not give an access token. It is asked when no other credentials are configured.",
  'resource manager': "The cloud's resource manager did not answer.",
  graph: "The cloud's directory did not tell about groups.",
  application: "The cloud's directory did not answer about the application.",
};

/** Cause of an error that stands for an answer. */
class RefusingAnswer extends Error {
  constructor(
    provider: Provider,
    status: number,
    readonly code: string | undefined,
  ) {
    super(`The ${provider} answered ${status} ${code ?? 'without a code'}.`);
  }
}

/** The provider's code for an error that {@link Failures.fromAnswer} made. */
export function answeredCode(error: unknown): string | undefined {
  return error instanceof AuthMethodError && error.cause instanceof RefusingAnswer ? error.cause.code : undefined;
}

/**
 * The one place where what providers and their SDKs say becomes an error of this package. Each failure is logged here once,
 * for operators; its public text never holds anything that came from outside.
 */
export class Failures {
  constructor(
    private readonly logger: Logger,
    private readonly clock: Clock,
  ) {}

  /**
   * What an answer other than 200 means: `not_found`, `not_configured` when the credentials are refused, or
   * `provider_unavailable`.
   */
  fromAnswer(provider: Provider, answer: OutboundResponse): AuthMethodError {
    const { status } = answer;
    const { code, number } = parseProblem(answer.body);
    const cause = new RefusingAnswer(provider, status, code);
    if (status === 404 && code !== undefined && MISSING_CODES[provider].includes(code)) {
      return new AuthMethodError('not_found', 'The cloud has no such thing.', { cause });
    }

    const retryAfter = parseRetryAfter(answer.headers['retry-after'], this.clock.now());
    this.logger.warn(`The cloud's ${provider} did not serve a call.`, { status, code, number, retryAfter });
    return isRefusal(provider, status, code)
      ? new AuthMethodError('not_configured', REFUSED[provider], { cause })
      : outage(provider, cause, retryAfter);
  }

  /**
   * What a thrown value means. An error of this package is passed on, since whoever threw it has logged it. Anything else
   * is an outage: no answer, or an answer that cannot be read. Its text may quote the answer and is dropped.
   */
  fromException(provider: Provider, error: unknown): AuthMethodError {
    if (error instanceof AuthMethodError) return error;
    const cause = error instanceof OutboundError ? error : new Error(`The ${provider}'s answer cannot be read.`);
    this.logger.warn(`The cloud's ${provider} did not serve a call.`, { reason: cause.message });
    return outage(provider, cause);
  }
}

function outage(provider: Provider, cause: Error, wanted = USUAL_RETRY_AFTER): AuthMethodError {
  const retryAfter = Math.min(Math.max(wanted, 1), MAX_RETRY_AFTER);
  return new AuthMethodError('provider_unavailable', UNAVAILABLE[provider], { cause, retryAfter });
}

function isRefusal(provider: Provider, status: number, code: string | undefined): boolean {
  if (provider === 'metadata service') return [400, 401, 403].includes(status);
  if (provider !== 'directory') return status === 401 || status === 403;
  return [400, 401, 403].includes(status) && code !== undefined && !DIRECTORY_OUTAGE_CODES.includes(code);
}
