import { AuthMethodError } from '../contract/index.js';
import type { Clock, System } from '../contract/index.js';
import { GrowingDelay } from './delays.js';
import type { Exclusive } from './exclusive.js';
import { cancelled, describeFailure, Handover } from './failures.js';
import { proceed } from './finishing.js';
import type { AddedRotation } from './records.js';
import type { RotationTools } from './tools.js';

/** One rotation on its way. */
export interface Flight {
  /** Resolves once the new secret is stored; to `undefined` when there was nothing to do. */
  readonly begun: Promise<AddedRotation | undefined>;
  /** Resolves when it is complete. */
  readonly done: Promise<void>;
}

/** Takes rotations through their steps, one at a time, to the end. */
export class Flights {
  readonly #tools: RotationTools;
  readonly #exclusive: Exclusive;
  readonly #system: System;
  readonly #closing: AbortSignal;
  #current: Flight | undefined;
  /** The attempt that was abandoned last. */
  #cancelled: string | undefined;

  constructor(tools: RotationTools, exclusive: Exclusive, system: System, closing: AbortSignal) {
    this.#tools = tools;
    this.#exclusive = exclusive;
    this.#system = system;
    this.#closing = closing;
  }

  get current(): Flight | undefined {
    return this.#current;
  }

  /** The current flight, or a new one. `first` makes or finds the rotation to take to its end, and runs alone. */
  join(first: () => Promise<AddedRotation | undefined>): Flight {
    if (this.#current !== undefined) return this.#current;
    const begun = this.#exclusive.run(() => {
      if (this.#closing.aborted) throw new Handover();
      return first();
    });
    const done = this.#finish(begun).finally(() => (this.#current = undefined));
    done.catch((error: unknown) => this.#report(error));
    return (this.#current = { begun, done });
  }

  /** The attempt has been abandoned: its flight ends. */
  cancel(attempt: string): void {
    this.#cancelled = attempt;
  }

  /** Resolves when nothing is on its way any more. */
  async idle(): Promise<void> {
    await this.#current?.done.catch(() => undefined);
  }

  async #finish(begun: Promise<AddedRotation | undefined>): Promise<void> {
    const attempt = await begun;
    if (attempt === undefined) return;
    const pauses = {
      refused: new GrowingDelay(this.#tools.timing.acceptance),
      unremoved: new GrowingDelay(this.#tools.timing.removal),
    };
    for (;;) {
      if (this.#closing.aborted || !(await this.#system.isActive())) throw new Handover();
      const { signal } = this.#exclusive;
      const result = await this.#exclusive.run(() => this.#step(attempt));
      if (result === 'completed') return;
      if (result !== 'next') await pause(this.#tools.clock, pauses[result].next(), signal);
    }
  }

  #step(attempt: AddedRotation): ReturnType<typeof proceed> {
    if (this.#closing.aborted) throw new Handover();
    if (this.#cancelled === attempt.attempt) throw cancelled();
    return proceed(this.#tools, attempt);
  }

  #report(error: unknown): void {
    const { logger } = this.#tools;
    const failure = describeFailure(error);
    if (error instanceof Handover) logger.debug('root rotation handed over', failure);
    else if (isProviders(error)) logger.warn('root rotation did not get to its end', failure);
    else logger.error('root rotation did not get to its end', failure);
  }
}

/** Whether the host is all right, and only the configuration or the directory is not. */
function isProviders(error: unknown): boolean {
  return error instanceof AuthMethodError && error.code !== 'storage_failed';
}

/** Ends early when `signal` aborts. */
async function pause(clock: Clock, milliseconds: number, signal: AbortSignal): Promise<void> {
  await clock.sleep(milliseconds, signal).catch(() => undefined);
}
