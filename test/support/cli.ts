import { spawn } from 'node:child_process';
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { join } from 'node:path';
import { recordEvidence } from './evidence.js';

const PROGRAM = join(import.meta.dirname, '../../dist/cli.js');

/** What a finished command left behind. */
export interface Finished {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** A command of the command line, as a process of its own. `npm test` builds it first. */
export class CliProcess {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #finished: Promise<Finished>;
  #stdout = '';
  #stderr = '';
  #wake: () => void = () => undefined;

  constructor(parameters: readonly string[], env: Readonly<Record<string, string>> = {}) {
    this.#child = spawn(process.execPath, [PROGRAM, ...parameters], { env: { ...process.env, ...env } });
    this.#child.stdout.on('data', (chunk: Buffer) => {
      this.#stdout += chunk.toString();
      this.#wake();
    });
    this.#child.stderr.on('data', (chunk: Buffer) => {
      this.#stderr += chunk.toString();
    });
    this.#finished = new Promise((resolve) => {
      this.#child.on('close', (code) => {
        recordEvidence('log', this.#stderr);
        resolve({ code, stdout: this.#stdout, stderr: this.#stderr });
        this.#wake();
      });
    });
  }

  /** The match in what was printed so far, once there is one. Rejects when the process ends without it. */
  async prints(pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const match = pattern.exec(this.#stdout);
      if (match !== null) return match;
      if (this.#child.exitCode !== null || this.#child.signalCode !== null)
        throw new Error(`ended without printing ${pattern.source}: ${this.#stderr}`);
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  finished(): Promise<Finished> {
    return this.#finished;
  }

  /** Asks it to stop, and waits until it has. */
  stop(): Promise<Finished> {
    this.#child.kill('SIGTERM');
    return this.#finished;
  }

  /** Ends it at once, as a crash does. */
  kill(): Promise<Finished> {
    this.#child.kill('SIGKILL');
    return this.#finished;
  }
}

/** Runs a command to its end. */
export function runCli(parameters: readonly string[], env?: Readonly<Record<string, string>>): Promise<Finished> {
  return new CliProcess(parameters, env).finished();
}
