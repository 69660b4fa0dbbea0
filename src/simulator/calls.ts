import type { IncomingHttpHeaders } from 'node:http';
import type { Service } from './routing.js';

/** A request that reached the simulator. */
export interface Call {
  readonly service: Service;
  readonly method: string;
  /** `Host` header. */
  readonly host: string;
  /** Path and query as sent. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** Absent while there is no answer, and for good when the answer is not HTTP. */
  readonly status?: number;
}

/** Which calls; what is left out matches all. */
export interface CallFilter {
  readonly service?: Service;
  readonly method?: string;
  /** Tested against path and query. */
  readonly path?: RegExp;
}

/** Whether a call is one of those. */
export function matches(filter: CallFilter, call: Pick<Call, 'service' | 'method' | 'path'>): boolean {
  return (
    (filter.service === undefined || filter.service === call.service) &&
    (filter.method === undefined || filter.method === call.method) &&
    (filter.path === undefined || call.path.search(filter.path) >= 0)
  );
}
