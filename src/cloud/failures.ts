import { AuthMethodError, OutboundError } from '../contract/index.js';
import type { Clock, Logger, OutboundResponse } from '../contract/index.js';
import { parseProblem } from './problem.js';
import { parseRetryAfter } from './retry-after.js';

/** Who failed: the directory hands out access tokens, the resource manager answers the lookups. */
export type Provider = 'directory' | 'resource manager';

const MISSING_CODES = ['ResourceNotFound', 'ResourceGroupNotFound', 'SubscriptionNotFound'];
const DIRECTORY_OUTAGE_CODES = ['temporarily_unavailable', 'server_error'];

const REFUSED: Record<Provider, string> = {
  directory: 'The directory refuses the configured client_id and client_secret.',
  'resource manager': 'The configured client_id may not read this resource in the cloud.',
};

const UNAVAILABLE: Record<Provider, string> = {
  directory: "The cloud's directory did not give an access token.",
  'resource manager': "The cloud's resource manager did not answer.",
};

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
    const cause = new Error(`The ${provider} answered ${status} ${code ?? 'without a code'}.`);
    if (provider === 'resource manager' && status === 404 && code !== undefined && MISSING_CODES.includes(code)) {
      return new AuthMethodError('not_found', 'The cloud has no such resource.', { cause });
    }

    const retryAfter = parseRetryAfter(answer.headers['retry-after'], this.clock.now());
    this.logger.warn(`The cloud's ${provider} did not serve a lookup.`, { status, code, number, retryAfter });
    return isRefusal(provider, status, code)
      ? new AuthMethodError('not_configured', REFUSED[provider], { cause })
      : new AuthMethodError('provider_unavailable', UNAVAILABLE[provider], {
          cause,
          ...(retryAfter === undefined ? {} : { retryAfter }),
        });
  }

  /**
   * What a thrown value means. An error of this package is passed on, since whoever threw it has logged it. Anything else
   * is an outage: no answer, or an answer that cannot be read. Its text may quote the answer and is dropped.
   */
  fromException(provider: Provider, error: unknown): AuthMethodError {
    if (error instanceof AuthMethodError) return error;
    const cause = error instanceof OutboundError ? error : new Error(`The ${provider}'s answer cannot be read.`);
    this.logger.warn(`The cloud's ${provider} did not serve a lookup.`, { reason: cause.message });
    return new AuthMethodError('provider_unavailable', UNAVAILABLE[provider], { cause });
  }
}

function isRefusal(provider: Provider, status: number, code: string | undefined): boolean {
  if (provider === 'resource manager') return status === 401 || status === 403;
  return [400, 401, 403].includes(status) && code !== undefined && !DIRECTORY_OUTAGE_CODES.includes(code);
}
