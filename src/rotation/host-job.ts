import { AuthMethodError } from '../contract/index.js';
import type { Logger, RootConfiguration, System } from '../contract/index.js';
import { describeFailure } from './failures.js';

const PATH = 'rotate-root';
const MISSING_CODES: readonly string[] = ['capability_missing', 'unsupported_operation'];

/** The schedule in the hands of a host that rotates by itself, where there is one. */
export class HostJob {
  readonly #system: System;
  readonly #root: RootConfiguration;
  readonly #logger: Logger;
  #isMissing: boolean;
  /** What the host was told last, as JSON; `undefined` while that is not known. */
  #told: string | undefined;
  #updates: Promise<void> = Promise.resolve();

  constructor(system: System, root: RootConfiguration, logger: Logger) {
    this.#system = system;
    this.#root = root;
    this.#logger = logger;
    this.#isMissing = system.registerRotationJob === undefined;
  }

  /** Whether scheduled rotations are the host's business. */
  get isHosts(): boolean {
    return !this.#isMissing;
  }

  /** Tells the host what the configuration says now. Never rejects; what fails is tried again by the next call. */
  update(): Promise<void> {
    // In order: the host must be left with the newest.
    this.#updates = this.#updates.then(() => this.#tryUpdate());
    return this.#updates;
  }

  async #tryUpdate(): Promise<void> {
    if (this.#isMissing) return;
    try {
      await this.#update();
    } catch (error) {
      this.#told = undefined;
      const failure = describeFailure(error);
      if (error instanceof AuthMethodError && MISSING_CODES.includes(error.code)) {
        this.#isMissing = true;
        this.#logger.info('the host has no rotation service: root rotation keeps time by itself', failure);
      } else {
        this.#logger.warn('the rotation schedule could not be handed to the host', failure);
      }
    }
  }

  async #update(): Promise<void> {
    const schedule = await this.#root.schedule();
    const job = schedule && {
      path: PATH,
      schedule: schedule.expression,
      window: schedule.window,
      period: schedule.period,
    };
    const told = JSON.stringify(job ?? null);
    if (told === this.#told) return;
    if (job === undefined) await this.#system.deregisterRotationJob?.(PATH);
    else await this.#system.registerRotationJob?.(job);
    this.#told = told;
  }
}
