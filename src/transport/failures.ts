import { OutboundError } from '../contract/index.js';
import type { OutboundFailure } from '../contract/index.js';

const DESTROYED_CODE = 'UND_ERR_DESTROYED';
const TOO_LARGE_CODES = ['UND_ERR_RES_EXCEEDED_MAX_SIZE', 'UND_ERR_HEADERS_OVERFLOW'];

/**
 * Translates what undici, TLS or a socket threw. The original is left behind: parser errors carry what was received.
 *
 * @param name - Method and URL of the request, without its query.
 */
export function toOutboundError(error: unknown, name: string, aborted: boolean): OutboundError {
  if (error instanceof OutboundError) return error;
  const code = codeOf(error);
  const failure = aborted ? 'aborted' : failureOf(code);
  const texts: Record<OutboundFailure, string> = {
    aborted: `${name} was aborted before its answer was complete.`,
    too_large: `${name} was answered with more bytes than allowed.`,
    connection: `${name} got no answer (${code}).`,
  };
  return new OutboundError(failure, texts[failure]);
}

function failureOf(code: string): OutboundFailure {
  if (code === DESTROYED_CODE) return 'aborted';
  return TOO_LARGE_CODES.includes(code) ? 'too_large' : 'connection';
}

/** A code such as `ECONNREFUSED`; codes are names, never text from the other side. */
function codeOf(error: unknown): string {
  const { code } = Object(error) as { code?: unknown };
  return typeof code === 'string' ? code : 'unknown';
}
