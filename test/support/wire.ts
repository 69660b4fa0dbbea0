import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { recordEvidence } from './evidence.js';

/** One answer as it came over the wire. */
export interface WireAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A plain socket that speaks HTTP/1.1 the way a test tells it to, byte by byte. */
export class Wire {
  readonly #socket: Socket;
  #received = '';
  #ended = false;
  #wake: () => void = () => undefined;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    const wake = (): void => this.#wake();
    socket.on('data', (chunk: Buffer) => {
      this.#received += chunk.toString('latin1');
      recordEvidence('answer', chunk.toString('latin1'));
      wake();
    });
    socket.on('error', wake);
    socket.on('close', () => {
      this.#ended = true;
      wake();
    });
  }

  static open(port: number): Promise<Wire> {
    return new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1');
      socket.once('error', reject);
      socket.once('connect', () => resolve(new Wire(socket)));
    });
  }

  /** Resolves when the system has taken the bytes. */
  send(bytes: string | Uint8Array): Promise<void> {
    return new Promise((resolve) => this.#socket.write(bytes, () => resolve()));
  }

  /** The next answer; `undefined` when the server ends the connection instead. Answers must announce their length. */
  async answer(): Promise<WireAnswer | undefined> {
    for (;;) {
      const answer = this.#takeAnswer();
      if (answer !== undefined) return answer;
      if (this.#ended) return undefined;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  /** Resolves to the bytes that came after the last answer, when the server has ended the connection. */
  async end(): Promise<string> {
    while (!this.#ended) await new Promise<void>((resolve) => (this.#wake = resolve));
    return this.#received;
  }

  close(): void {
    this.#socket.destroy();
  }

  #takeAnswer(): WireAnswer | undefined {
    const headEnd = this.#received.indexOf('\r\n\r\n');
    if (headEnd < 0) return undefined;
    const [statusLine = '', ...lines] = this.#received.slice(0, headEnd).split('\r\n');
    const headers = Object.fromEntries(
      lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
    );
    const end = headEnd + 4 + Number(headers['content-length'] ?? 0);
    if (this.#received.length < end) return undefined;
    const body = this.#received.slice(headEnd + 4, end);
    this.#received = this.#received.slice(end);
    return { status: Number(statusLine.split(' ')[1]), headers, body };
  }
}

/** Writes out a request. */
export function httpRequest(
  method: string,
  path: string,
  { headers = {}, body }: { headers?: Readonly<Record<string, string>>; body?: string } = {},
): string {
  const all = {
    host: 'localhost',
    ...(body !== undefined && { 'content-length': String(Buffer.byteLength(body)) }),
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  return `${[`${method} ${path} HTTP/1.1`, ...lines].join('\r\n')}\r\n\r\n${body ?? ''}`;
}
