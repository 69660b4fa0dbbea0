import type { Agent, Dispatcher } from 'undici';
import { OutboundError } from '../contract/index.js';
import type { OutboundRequest, OutboundResponse, OutboundTransport } from '../contract/index.js';
import { Agents } from './agents.js';
import { toOutboundError } from './failures.js';
import { fromWireHeaders, toWireHeaders } from './headers.js';

/** What {@link createTransport} takes. */
export interface TransportOptions {
  /** Value of the header `user-agent` of every request. */
  readonly userAgent: string;
  /** Sockets per origin at most; further requests wait for one. Default 32. */
  readonly maxSockets?: number;
  /** Bytes of an answer's body at most. Default 4 MiB. */
  readonly maxBodyBytes?: number;
}

/**
 * Makes the way out of the process: HTTPS only, certificates always verified, no redirects followed, no compression asked
 * for. `close` ends exchanges in flight, which then reject as `aborted`; it may be called twice.
 */
export function createTransport(options: TransportOptions): OutboundTransport {
  const { userAgent, maxSockets = 32, maxBodyBytes = 4 * 1024 * 1024 } = options;
  const agents = new Agents(maxSockets, maxBodyBytes);

  return {
    async send(request) {
      const url = parseUrl(request.url);
      const name = `${request.method} ${url.origin}${url.pathname}`;
      if (request.signal.aborted) throw new OutboundError('aborted', `${name} was not sent: it was aborted before.`);

      try {
        const agent = agents.trusting(request.ca);
        return await untilAborted(exchange(agent, url, request, userAgent), request.signal);
      } catch (error) {
        throw toOutboundError(error, name, request.signal.aborted);
      }
    },

    close: () => agents.destroy(),
  };
}

function parseUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'https:') {
    throw new OutboundError('connection', 'The request was not sent: only https URLs are allowed.');
  }
  return url;
}

async function exchange(
  agent: Agent,
  url: URL,
  request: OutboundRequest,
  userAgent: string,
): Promise<OutboundResponse> {
  const options: Dispatcher.RequestOptions = {
    origin: url.origin,
    path: `${url.pathname}${url.search}`,
    method: request.method,
    headers: toWireHeaders(request.headers, userAgent),
    body: request.body ?? null,
    signal: request.signal,
  };
  const { statusCode, headers, body } = await agent.request(options);
  return { status: statusCode, headers: fromWireHeaders(headers), body: await body.bytes() };
}

/** undici notices an abort only once the request has a socket; callers must not wait for that. */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(new Error('aborted'));
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
