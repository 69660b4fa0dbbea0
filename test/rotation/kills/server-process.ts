import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { Agent, request } from 'undici';
import type { CloudEnvironment } from '../../../src/contract/index.js';
import { recordEvidence } from '../../support/evidence.js';
import { ROOT } from '../../credentials/server.js';

/** Waiting times of a rotation that is in a hurry. */
const TIMING = {
  patience: 300,
  callDeadline: 5_000,
  settling: 600,
  tick: 50,
  acceptance: { first: 20, longest: 100 },
  removal: { first: 20, longest: 100 },
  cleanUp: { first: 20, longest: 100 },
};

/** What happens to writes of the process: from which on, to how many, and when. Without a code it is the end. */
export interface WritePlan {
  readonly at: number;
  readonly when: 'before' | 'after';
  readonly times?: number;
  readonly code?: 'ENOSPC' | 'EROFS' | 'EIO';
}

/** What a server process can be told. */
export interface Command {
  /** Counts writes from here on. */
  readonly plan?: WritePlan | null;
  /** Which nodes are active. */
  readonly active?: readonly boolean[];
  /** Milliseconds that its clock is ahead. */
  readonly offset?: number;
}

export interface Answer {
  readonly status: number;
  readonly data: Readonly<Record<string, unknown>>;
  readonly text: string;
}

/** `undefined` when the connection broke: the process is dead. */
export type MaybeAnswer = Answer | undefined;

/** A server in a process of its own. It waits, loaded, until it is opened. */
export class ServerProcess {
  readonly #child: ChildProcess;
  readonly #exited: Promise<unknown>;
  readonly #agent = new Agent();
  #urls: readonly string[] = [];
  #log = '';

  constructor() {
    this.#child = fork(join(import.meta.dirname, 'server.js'), {
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      execArgv: [],
    });
    this.#child.stderr!.on('data', (chunk: Buffer) => (this.#log += chunk.toString()));
    this.#exited = once(this.#child, 'close');
  }

  /** What it has logged. */
  get log(): string {
    return this.#log;
  }

  get isDead(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** Rejects when it ends instead. */
  async open(directory: string, environment: CloudEnvironment, nodes: number): Promise<void> {
    const { urls } = await this.#ask<{ urls: string[] }>({
      directory,
      environment,
      rootToken: ROOT,
      timing: TIMING,
      nodes,
    });
    this.#urls = urls;
  }

  /** Resolves to the writes since they are counted. */
  async tell(command: Command): Promise<readonly string[]> {
    return (await this.#ask<{ writes: string[] }>(command)).writes;
  }

  /** Ends it at once, and waits until it is gone. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.gone();
  }

  async gone(): Promise<void> {
    await this.#exited;
    if (this.#log !== '') recordEvidence('log', this.#log);
    await this.#agent.destroy();
  }

  async call(method: 'GET' | 'POST' | 'DELETE', path: string, body?: object, node = 0): Promise<MaybeAnswer> {
    const answered = request(`${this.#urls[node]}/v1/auth/cloud/${path}`, {
      method,
      dispatcher: this.#agent,
      headers: { 'x-service-token': ROOT, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    }).then(async ({ statusCode, body: stream }) => ({ status: statusCode, text: await stream.text() }));
    const answer = await answered.catch(() => undefined);
    if (answer === undefined) {
      // Nothing else breaks a connection.
      await this.#exited;
      return undefined;
    }
    // Reads of the configuration show the secret: that is what they are for.
    if (path !== 'config') recordEvidence('answer', answer.text);
    const { data = {} } = JSON.parse(answer.text || '{}') as Partial<Answer>;
    return { ...answer, data };
  }

  async #ask<T>(message: object): Promise<T> {
    const answer = once(this.#child, 'message') as Promise<[T]>;
    const end = this.#exited.then((): never => {
      throw new Error(`the process has ended: ${this.#log}`);
    });
    this.#child.send(message, () => undefined);
    const [reply] = await Promise.race([answer, end]);
    return reply;
  }
}
