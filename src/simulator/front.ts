import { setMaxListeners } from 'node:events';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { matches } from './calls.js';
import type { Call, CallFilter } from './calls.js';
import type { Answer, Handler } from './exchange.js';
import { Faults } from './faults.js';
import type { Fault } from './faults.js';
import type { Service } from './routing.js';

const MAX_BODY = 1 << 20;
const MAX_RECORDED_CALLS = 200_000;
const SERVER = 'cloud-simulator';

/** Sends a request to the service it is for; `undefined` when it is for none. */
export type Dispatch = (host: string, path: string) => { service: Service; handler: Handler } | undefined;

/** What all servers of a simulator share: call log, faults and latencies. Turns requests into answers. */
export class Front {
  readonly faults = new Faults();
  readonly #latencies = new Map<Service, number>();
  readonly #closing = new AbortController();
  #calls: Call[] = [];

  constructor() {
    // Any number of delayed answers may wait for the end.
    setMaxListeners(0, this.#closing.signal);
  }

  calls(filter: CallFilter = {}): readonly Call[] {
    return this.#calls.filter((call) => matches(filter, call));
  }

  resetCalls(): void {
    this.#calls = [];
  }

  setLatency(milliseconds: number, services: readonly Service[]): void {
    for (const service of services) this.#latencies.set(service, milliseconds);
  }

  /** Ends all waiting. */
  close(): void {
    this.#closing.abort();
  }

  /** A listener for one server. */
  listener(scheme: 'http' | 'https', dispatch: Dispatch): RequestListener {
    return (incoming, response) => {
      response.setHeader('server', SERVER);
      this.#serve(scheme, dispatch, incoming)
        .then((answer) => answer && send(response, answer))
        .catch(() => response.headersSent || send(response, { status: 500 }));
    };
  }

  /** The answer to send; `undefined` when a fault has dealt with the call. */
  async #serve(scheme: 'http' | 'https', dispatch: Dispatch, incoming: IncomingMessage): Promise<Answer | undefined> {
    const { method = '', url: path = '', headers } = incoming;
    const host = headers.host ?? '';
    const url = parseTarget(scheme, host, path);
    if (url === undefined) return { status: 400 };
    const target = dispatch(host, url.pathname);
    if (target === undefined) return { status: 421 };
    const { service } = target;
    const call: { -readonly [key in keyof Call]: Call[key] } = { service, method, host, path, headers };
    this.#record(call);

    const body = await readBody(incoming);
    const fault = this.faults.take(call);
    await this.#wait((this.#latencies.get(service) ?? 0) + (fault?.delay ?? 0));
    const { origin: baseUrl, pathname, searchParams: query } = url;
    const work = async (): Promise<Answer> => {
      if (body === undefined) return { status: 413 };
      const answer = await target.handler({ method, baseUrl, path: pathname, query, headers, body });
      await fault?.after?.(call);
      return answer;
    };

    await fault?.before?.(call);
    const done = fault?.worked ? await work() : undefined;
    const faulty = fault && befall(fault, incoming.socket);
    if (faulty === 'silence') return undefined;
    const answer = faulty ?? done ?? (await work());
    call.status = answer.status;
    return answer;
  }

  #record(call: Call): void {
    if (this.#calls.length >= MAX_RECORDED_CALLS) this.#calls = this.#calls.slice(MAX_RECORDED_CALLS / 2);
    this.#calls.push(call);
  }

  async #wait(milliseconds: number): Promise<void> {
    if (milliseconds > 0) await sleep(milliseconds, undefined, { signal: this.#closing.signal });
  }
}

function parseTarget(scheme: string, host: string, target: string): URL | undefined {
  return target.startsWith('/') && URL.canParse(`${scheme}://${host}${target}`)
    ? new URL(`${scheme}://${host}${target}`)
    : undefined;
}

/** `undefined` when the body is too large; all of it is read even so, because a client may not listen before. */
async function readBody(incoming: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= MAX_BODY) chunks.push(chunk);
  }
  return size <= MAX_BODY ? Buffer.concat(chunks).toString() : undefined;
}

/** What a fault makes of a call: an answer, silence when no answer must follow, or nothing. */
function befall(fault: Fault, socket: Socket): Answer | 'silence' | undefined {
  if (fault.hang) return 'silence';
  if (fault.reset) {
    socket.destroy();
    return 'silence';
  }
  if (fault.garbage) {
    socket.end('\u0000\u0001 this is not HTTP \r\n\r\n');
    return 'silence';
  }
  const { status, headers, body, stallBody = false } = fault;
  if (status === undefined && headers === undefined && body === undefined && !stallBody) return undefined;
  return { status: status ?? 200, headers: headers ?? {}, body: body ?? (stallBody ? {} : ''), stalled: stallBody };
}

function send(response: ServerResponse, { status, headers, body, stalled }: Answer): void {
  const bytes = toBytes(body);
  const description =
    bytes.length === 0 ? {} : { 'content-type': 'application/json; charset=utf-8', 'content-length': bytes.length };
  response.writeHead(status, { ...description, ...headers });
  if (stalled) response.write(bytes.subarray(0, bytes.length / 2));
  else response.end(bytes);
}

function toBytes(body: unknown): Uint8Array {
  if (body === undefined) return new Uint8Array();
  if (body instanceof Uint8Array) return body;
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
}
