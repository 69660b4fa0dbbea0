import type { Logger, OutboundRequest, OutboundResponse, OutboundTransport } from '../contract/index.js';

const MAX_LOGGED = 4_096;
const REDACTED = '[redacted]';
/** Members of bodies and query parameters that are secrets, or parts of one, or may be. */
const SECRET_NAME = /token|secret|assertion|password|credential|signature|^code$|^key$|^hint$/i;
/** Headers that say something about an exchange and are no secrets. */
const SHOWN_HEADERS = [
  'content-type',
  'content-length',
  'retry-after',
  'date',
  'x-ms-request-id',
  'request-id',
  'client-request-id',
];

/**
 * Logs every exchange at level `debug`: method, URL, status, harmless headers and bodies, with everything that is or may be a secret
 * replaced (spec 1.9).
 */
export function loggedTransport(transport: OutboundTransport, logger: Logger): OutboundTransport {
  return {
    async send(request) {
      logger.debug('provider request', {
        method: request.method,
        url: redactUrl(request.url),
        body: redactBody(request.body),
      });
      try {
        const response = await transport.send(request);
        logger.debug('provider response', describe(request, response));
        return response;
      } catch (error) {
        logger.debug('provider request failed', { method: request.method, url: redactUrl(request.url), error });
        throw error;
      }
    },
    close: () => transport.close(),
  };
}

function describe(request: OutboundRequest, { status, headers, body }: OutboundResponse): Record<string, unknown> {
  const shown = SHOWN_HEADERS.filter((name) => name in headers).map((name) => [name, headers[name]]);
  return {
    method: request.method,
    url: redactUrl(request.url),
    status,
    headers: Object.fromEntries(shown) as object,
    body: redactBody(body),
  };
}

function redactUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined) return REDACTED;
  for (const name of [...url.searchParams.keys()]) {
    if (SECRET_NAME.test(name)) url.searchParams.set(name, REDACTED);
  }
  return url.href;
}

/** JSON and forms are shown without their secrets; of anything else only the size, since nothing is known of it. */
function redactBody(body: string | Uint8Array | undefined): unknown {
  if (body === undefined || body.length === 0) return undefined;
  const text = typeof body === 'string' ? body : Buffer.from(body).toString();
  try {
    return JSON.stringify(JSON.parse(text, redactMember)).slice(0, MAX_LOGGED);
  } catch {
    const isForm = /^[\w.%~-]+=/.test(text) && !/\s/.test(text);
    return isForm ? redactForm(text).slice(0, MAX_LOGGED) : `${body.length} bytes`;
  }
}

function redactMember(name: string, value: unknown): unknown {
  const isSecret = SECRET_NAME.test(name);
  return isSecret || (typeof value === 'string' && looksSigned(value)) ? REDACTED : value;
}

function redactForm(text: string): string {
  const form = new URLSearchParams(text);
  for (const [name, value] of [...form]) {
    if (SECRET_NAME.test(name) || looksSigned(value)) form.set(name, REDACTED);
  }
  return form.toString();
}

/** A compact JWT, under whatever name. */
function looksSigned(value: string): boolean {
  return /^[\w-]{8,}\.[\w-]{8,}\.[\w-]*$/.test(value);
}
