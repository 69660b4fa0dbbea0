import type { OutgoingHttpHeaders } from 'node:http';
import { matches } from './calls.js';
import type { Call, CallFilter } from './calls.js';

/**
 * Something that goes wrong with the calls that it matches. `delay` comes first, then `before`; of the rest, the first one given
 * in this order is done: `hang`, `reset`, `garbage`, an answer. A fault with none of these lets the call through.
 */
export interface Fault extends CallFilter {
  /** How many calls it befalls. Default: all until it is removed. */
  readonly times?: number;
  /** Milliseconds to wait. */
  readonly delay?: number;
  /** Called before the work is done, and awaited. When it rejects, nothing is done and the answer is a plain 500. */
  readonly before?: FaultHook;
  /** Called when the work is done and before its answer is sent, and awaited. When it rejects, the answer is a plain 500. */
  readonly after?: FaultHook;
  /** The work is done all the same, and only then the fault befalls the call. */
  readonly worked?: boolean;
  /** The work is done and the connection cut without an answer: short for `worked` and `reset`. */
  readonly lost?: boolean;
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

/** Looks at a call on its way. */
export type FaultHook = (call: Call) => void | Promise<void>;

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
    return hit.fault.lost ? { ...hit.fault, worked: true, reset: true } : hit.fault;
  }
}
