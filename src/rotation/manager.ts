import type {
  ApplicationPasswords,
  Clock,
  Logger,
  RootConfiguration,
  RotationManager,
  RotationStatus,
  Storage,
  System,
} from '../contract/index.js';
import { Automation } from './automation.js';
import { begin, resume } from './beginning.js';
import { Cleaner } from './cleaner.js';
import { Directory } from './directory.js';
import { Exclusive } from './exclusive.js';
import { describeFailure, Handover } from './failures.js';
import { Flights } from './flights.js';
import type { Flight } from './flights.js';
import { HostJob } from './host-job.js';
import { digestOf } from './records.js';
import type { AddedRotation, RotationRecord } from './records.js';
import { RotationStore } from './rotation-store.js';
import { CLOCK_TOLERANCE } from './schedule.js';
import { rotatable } from './stored-credential.js';
import { DEFAULT_TIMING } from './timing.js';
import type { RotationTiming } from './timing.js';
import type { RotationTools } from './tools.js';
import { cancelOpen, correctLastRotation, forgetKey } from './upkeep.js';

/** What {@link createRotationManager} takes. */
export interface RotationManagerOptions {
  readonly storage: Storage;
  readonly system: System;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly root: RootConfiguration;
  readonly passwords: ApplicationPasswords;
  /** Other waiting times than the usual ones. */
  readonly timing?: Partial<RotationTiming>;
}

/** The rotation manager of one mount. It keeps nothing in memory that it could not do without after a crash. */
export function createRotationManager(options: RotationManagerOptions): RotationManager {
  return new StoredRotationManager(options);
}

class StoredRotationManager implements RotationManager {
  readonly #system: System;
  readonly #tools: RotationTools;
  readonly #closing = new AbortController();
  readonly #exclusive = new Exclusive(this.#closing.signal);
  readonly #flights: Flights;
  readonly #cleaner: Cleaner;
  readonly #automation: Automation;
  readonly #hostJob: HostJob;
  #tick: Promise<void> | undefined;
  #ticker: NodeJS.Timeout | undefined;

  constructor({ storage, system, clock, logger, root, passwords, timing: changes }: RotationManagerOptions) {
    const timing = { ...DEFAULT_TIMING, ...changes };
    const { signal } = this.#closing;
    const directory = new Directory(passwords, clock, this.#exclusive, timing.callDeadline);
    this.#system = system;
    this.#tools = { store: new RotationStore(storage), root, directory, clock, logger, timing };
    this.#flights = new Flights(this.#tools, this.#exclusive, system, signal);
    this.#cleaner = new Cleaner(this.#tools, this.#exclusive, system, signal);
    this.#automation = new Automation(root, clock, logger);
    this.#hostJob = new HostJob(system, root, logger);
  }

  async recover(): Promise<void> {
    const { clock, timing } = this.#tools;
    if (this.#system.callsPeriodic !== true && !this.#closing.signal.aborted) {
      this.#ticker ??= setInterval(() => void this.periodic(clock.now()), timing.tick).unref();
    }
    await this.periodic(clock.now());
  }

  async rotate(): Promise<'completed' | 'pending'> {
    for (;;) {
      if (this.#closing.signal.aborted) throw new Handover();
      const flight = this.#fly(() => begin(this.#tools, this.#closing.signal));
      if ((await flight.begun) !== undefined) return this.#awaitPatiently(flight);
      // Joined one that found nothing to do.
      await flight.done;
    }
  }

  async reconfigure(change: () => Promise<void>, changesCredential: () => Promise<boolean>): Promise<void> {
    if (await changesCredential()) this.#exclusive.interrupt();
    try {
      await this.#exclusive.run(async () => {
        // A rotation may have put another secret in its place meanwhile.
        const isOther = await changesCredential();
        const cancelled = isOther ? await cancelOpen(this.#tools) : undefined;
        if (cancelled !== undefined) this.#flights.cancel(cancelled);
        await change();
        if (isOther) await forgetKey(this.#tools, cancelled === undefined);
      });
    } finally {
      await this.#hostJob.update();
      this.#cleaner.start();
    }
  }

  periodic(now: number): Promise<void> {
    this.#tick ??= this.#look(now)
      .catch((error: unknown) => this.#warn(error))
      .finally(() => (this.#tick = undefined));
    return this.#tick;
  }

  async status(): Promise<RotationStatus> {
    const { store, root, clock } = this.#tools;
    const record = await store.rotation();
    const { lastRotation, open } = record;
    const cleanUps = await store.cleanUpIds();
    const nextRotation = await this.#automation.next(record, clock.now());
    const inUse = await rotatable(root);
    const secretExpiration = inUse && expirationOf(inUse.clientSecret, record);
    return {
      ...(lastRotation !== undefined && { lastRotation }),
      ...(nextRotation !== undefined && { nextRotation }),
      ...(secretExpiration !== undefined && { secretExpiration }),
      ...(open !== undefined && { open: { state: open.state, attempt: open.attempt, startedAt: open.startedAt } }),
      cleanUps: cleanUps.length,
    };
  }

  async close(): Promise<void> {
    clearInterval(this.#ticker);
    this.#closing.abort();
    await this.#tick;
    await this.#flights.idle();
    await this.#cleaner.idle();
    await this.#exclusive.idle();
  }

  /** What is open goes on, what must go from the directory goes, and what is due begins: all in the background. */
  async #look(now: number): Promise<void> {
    if (this.#closing.signal.aborted || !(await this.#system.isActive())) return;
    await this.#hostJob.update();
    this.#cleaner.start();
    if (this.#flights.current !== undefined) return;
    const record = await this.#tools.store.rotation();
    if (record.open !== undefined) {
      this.#fly(() => resume(this.#tools));
    } else if (record.lastRotation !== undefined && record.lastRotation > now + CLOCK_TOLERANCE) {
      this.#exclusive.run(() => correctLastRotation(this.#tools, now)).catch((error: unknown) => this.#warn(error));
    } else if (!this.#hostJob.isHosts && (await this.#automation.isDue(record, now))) {
      this.#fly(() => this.#beginUnlessDone(record));
    }
  }

  #fly(first: () => Promise<AddedRotation | undefined>): Flight {
    const { current } = this.#flights;
    if (current !== undefined) return current;
    const flight = this.#flights.join(first);
    flight.done.catch(() => this.#automation.postpone()).finally(() => this.#cleaner.start());
    return flight;
  }

  /** `basis` is what the due time was computed from. */
  async #beginUnlessDone(basis: RotationRecord): Promise<AddedRotation | undefined> {
    const { lastRotation } = await this.#tools.store.rotation();
    return lastRotation === basis.lastRotation ? begin(this.#tools, this.#closing.signal) : undefined;
  }

  #warn(error: unknown): void {
    this.#tools.logger.warn('root rotation could not look after its state', describeFailure(error));
  }

  async #awaitPatiently({ done }: Flight): Promise<'completed' | 'pending'> {
    const { clock, timing } = this.#tools;
    const over = new AbortController();
    const patience = clock.sleep(timing.patience, over.signal);
    patience.catch(() => undefined);
    try {
      return await Promise.race([done.then(() => 'completed' as const), patience.then(() => 'pending' as const)]);
    } finally {
      over.abort();
    }
  }
}

/** When the secret in use expires, if a rotation made it. */
function expirationOf(secret: string, { open, secretDigest, expiresAt }: RotationRecord): number | undefined {
  if (open !== undefined && open.state !== 'adding' && open.secret === secret) return open.expiresAt;
  return secretDigest === digestOf(secret) ? expiresAt : undefined;
}
