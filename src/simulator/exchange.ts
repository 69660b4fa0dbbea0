import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';

/** A request as the simulated services see it. */
export interface SimulatedRequest {
  readonly method: string;
  /** Scheme, host and port that the client used, to build links from. No trailing slash. */
  readonly baseUrl: string;
  /** Still percent-encoded; dot segments are resolved. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** What a simulated service answers. */
export interface Answer {
  readonly status: number;
  readonly headers?: OutgoingHttpHeaders;
  /** Sent as it is when text or bytes, else as JSON. */
  readonly body?: unknown;
  /** Half of the body is sent, and then nothing more. */
  readonly stalled?: boolean;
}

/** Answers every request of one service, errors included. */
export type Handler = (request: SimulatedRequest) => Answer | Promise<Answer>;
