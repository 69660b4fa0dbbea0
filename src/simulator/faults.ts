import type { OutgoingHttpHeaders } from 'node:http';
import { matches } from './calls.js';
import type { Call, CallFilter } from './calls.js';

/**
 * Something that goes wrong with the calls that it matches. `delay` comes first; of the rest, the first one given in this
 * order is done: `hang`, `reset`, `garbage`, an answer. A fault with nothing but `delay` slows a call down and lets it through.
 */
export interface Fault extends CallFilter {
  /** How many calls it befalls. Default: all until it is removed. */
  readonly times?: number;
  /** Milliseconds to wait. */
  readonly delay?: number;
  /** Never answers. */
  readonly hang?: boolean;
  /** Cuts the connection; clients see it reset. */
  readonly reset?: boolean;
  /** Answers with bytes that are not HTTP. */
  readonly garbage?: boolean;
  /** Status to answer with; 200 when only `headers`, `body` or `stallBody` are given. */
  readonly status?: number;
  readonly headers?: OutgoingHttpHeaders;
  /** Sent as it is when text or bytes, else as JSON. Default: empty. */
  readonly body?: unknown;
  /** Sends the head and half of the body, and then nothing more. */
  readonly stallBody?: boolean;
}

/** A fault in force. */
export interface FaultHandle {
  /** Calls befallen so far. */
  readonly hits: number;
  remove(): void;
}

interface ActiveFault {
  readonly fault: Fault;
  hits: number;
}

/** The faults in force; of several that match a call, the latest wins. */
export class Faults {
  #active: ActiveFault[] = [];

  add(fault: Fault): FaultHandle {
    const active: ActiveFault = { fault, hits: 0 };
    this.#active.unshift(active);
    return {
      get hits() {
        return active.hits;
      },
      remove: () => {
        this.#active = this.#active.filter((other) => other !== active);
      },
    };
  }

  /** The fault that befalls this call, which then counts as a hit. */
  take(call: Pick<Call, 'service' | 'method' | 'path'>): Fault | undefined {
    const hit = this.#active.find(({ fault, hits }) => hits < (fault.times ?? Infinity) && matches(fault, call));
    if (hit === undefined) return undefined;
    hit.hits += 1;
    return hit.fault;
  }
}
