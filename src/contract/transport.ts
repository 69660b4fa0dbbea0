/** One outgoing HTTPS request. */
export interface OutboundRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** PEM certificates to trust instead of the process's own. */
  readonly ca?: string;
  /** Covers the whole exchange, the answer's body included. */
  readonly signal: AbortSignal;
}

/** The answer, whatever its status. */
export interface OutboundResponse {
  readonly status: number;
  /** Names in lower case; repeated headers joined with `, `. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/**
 * The one way out of the process. Redirects are not followed, bodies and sockets are bounded, connections are kept alive,
 * the user agent is the plugin's.
 *
 * Rejects with {@link OutboundError} when there is no whole answer. A status of 4xx or 5xx is an answer.
 */
export interface OutboundTransport {
  send(request: OutboundRequest): Promise<OutboundResponse>;
  close(): Promise<void>;
}

/** Why there was no whole answer. */
export type OutboundFailure = 'aborted' | 'connection' | 'too_large';

/** Rejection of {@link OutboundTransport.send}. Its text holds no header, body or query. */
export class OutboundError extends Error {
  override readonly name = 'OutboundError';

  constructor(
    readonly failure: OutboundFailure,
    message: string,
    cause?: unknown,
  ) {
    super(message, cause === undefined ? undefined : { cause });
  }
}
