import { setImmediate } from 'node:timers/promises';
import { expect } from '@jest/globals';
import type {
  ApplicationPasswords,
  RootCredential,
  RotationManager,
  Storage,
  System,
} from '../../../src/contract/index.js';
import { createRotationManager } from '../../../src/rotation/index.js';
import { MemoryStorage } from '../../../src/storage/index.js';
import { ManualClock } from '../../support/clock.js';
import { fakeSystem } from '../../support/fake-system.js';
import { recordingLogger } from '../../support/logger.js';
import type { LoggedLine } from '../../support/logger.js';
import { FakeDirectory } from './directory.js';
import { FakeRoot } from './root.js';
import type { FakeConfig } from './root.js';

export const ORIGINAL: RootCredential = {
  tenantId: 'tenant',
  environment: 'CloudPublicCloud',
  clientId: 'client',
  clientSecret: 'Ori~canary-original',
};

/** What may go wrong at an operation: it has happened by then (`after`), or not. */
export interface Mishap {
  /** Counts storage writes and calls to the directory, from 1. */
  readonly at: number;
  readonly when: 'before' | 'after';
}

/** One process with a manager, over the storage and directory of a {@link World}. */
export class Process {
  readonly manager: RotationManager;
  readonly root: FakeRoot;
  readonly logged: LoggedLine[];
  /** Storage writes and calls to the directory, in order. */
  readonly operations: string[] = [];
  /** The process is gone from this operation on. */
  crash: Mishap | undefined;
  /** Storage writes that fail, counted like {@link Mishap.at}. */
  failing: Mishap[] = [];
  isDead = false;

  constructor(
    private readonly world: World,
    system: Partial<System> = {},
  ) {
    const logger = recordingLogger();
    const storage = this.#storage();
    this.logged = logger.lines;
    this.root = new FakeRoot(storage);
    this.manager = createRotationManager({
      storage,
      system: fakeSystem({ callsPeriodic: true, ...system }),
      clock: world.clock,
      logger,
      root: this.root,
      passwords: this.#passwords(),
    });
  }

  logs(level: LoggedLine['level'], message: RegExp): LoggedLine[] {
    return this.logged.filter((line) => line.level === level && message.test(line.message));
  }

  /** As the configuration's path does it. */
  configure(config: FakeConfig | undefined): Promise<void> {
    return this.manager.reconfigure(
      async () => {
        const secret = config?.credential.clientSecret;
        // Waiting for its turn, a secret written back may have been removed.
        if (secret !== undefined && !this.world.directory.isLive(secret)) throw new Error('the secret does not work');
        await this.world.handOver();
        await this.root.write(config);
      },
      async () => JSON.stringify((await this.root.read())?.credential) !== JSON.stringify(config?.credential),
    );
  }

  #storage(): Storage {
    const { disk } = this.world;
    const read = async <T>(work: () => Promise<T>): Promise<T> => {
      if (this.isDead) throw new Error('dead');
      return work();
    };
    return {
      get: (key) => read(() => disk.get(key)),
      list: (prefix) => read(() => disk.list(prefix)),
      put: (key, value) => this.#operation(`put ${key}`, () => disk.put(key, value)),
      delete: (key) => this.#operation(`delete ${key}`, () => disk.delete(key)),
    };
  }

  #passwords(): ApplicationPasswords {
    const { directory } = this.world;
    return {
      list: (...parameters) => this.#operation('list', () => directory.list(...parameters)),
      add: (...parameters) => this.#operation('add', () => directory.add(...parameters)),
      remove: (...parameters) => this.#operation('remove', () => directory.remove(...parameters)),
      accepts: (...parameters) => this.#operation('accepts', () => directory.accepts(...parameters)),
    };
  }

  async #operation<T>(name: string, work: () => Promise<T>): Promise<T> {
    if (this.isDead) throw new Error('dead');
    const at = this.operations.push(name);
    await this.world.check();
    const failure = this.failing.find((mishap) => mishap.at === at);
    if (this.#diesAt(at, 'before')) throw new Error('dead');
    if (failure?.when === 'before') throw new Error('the disk is full');
    const result = await work();
    if (this.#diesAt(at, 'after')) throw new Error('dead');
    await this.world.check();
    if (failure?.when === 'after') throw new Error('the disk broke');
    return result;
  }

  #diesAt(at: number, when: Mishap['when']): boolean {
    this.isDead ||= this.crash?.at === at && this.crash.when === when;
    return this.isDead;
  }
}

/** A disk, a directory and a clock that processes come and go over. */
export class World {
  readonly clock = new ManualClock();
  readonly disk = new MemoryStorage();
  readonly directory = new FakeDirectory(this.clock);
  readonly processes: Process[] = [];
  /** Secrets of others, and those that an operator made. */
  readonly foreign: string[] = [];
  /** Whether the stored secret must be one that the directory knows. Off while a test stores a wrong one. */
  isChecked = true;
  broken: string | undefined;

  static async create(config: Partial<FakeConfig> = {}): Promise<World> {
    const world = new World();
    world.directory.plant(ORIGINAL.clientSecret, 'made by the operator');
    await new FakeRoot(world.disk).write({ credential: ORIGINAL, since: world.clock.now(), ...config });
    return world;
  }

  /** Starts a process. */
  start(system: Partial<System> = {}): Process {
    const process = new Process(this, system);
    this.processes.push(process);
    return process;
  }

  /** Ends all processes as a crash does. */
  killAll(): void {
    for (const process of this.processes) process.isDead = true;
  }

  /** Closes everything that is left. */
  async end(): Promise<void> {
    await Promise.all(this.processes.map(({ manager }) => manager.close()));
  }

  async config(): Promise<FakeConfig | undefined> {
    return new FakeRoot(this.disk).read();
  }

  async secret(): Promise<string | undefined> {
    return (await this.config())?.credential.clientSecret;
  }

  async stored(key: string): Promise<Record<string, unknown> | undefined> {
    const bytes = await this.disk.get(key);
    return bytes && (JSON.parse(new TextDecoder().decode(bytes)) as Record<string, unknown>);
  }

  async plantRecord(key: string, record: object): Promise<void> {
    await this.disk.put(key, new TextEncoder().encode(JSON.stringify(record)));
  }

  /** Before an operator's change: what the configuration holds is his to remove, unless it was noted as to go. */
  async handOver(): Promise<void> {
    const secret = await this.secret();
    const password = this.directory.live.find((candidate) => candidate.secret === secret);
    if (password === undefined) return;
    const cleanUps = await Promise.all((await this.disk.list('wal/')).map((id) => this.stored(`wal/${id}`)));
    if (!cleanUps.some((cleanUp) => cleanUp?.['key_id'] === password.keyId)) this.foreign.push(password.secret);
  }

  async openState(): Promise<string | undefined> {
    return ((await this.stored('rotation'))?.['open'] as { state: string } | undefined)?.state;
  }

  /** First half of the promise, at any instant. */
  async check(): Promise<void> {
    const secret = await this.secret();
    if (!this.isChecked || secret === undefined || this.directory.isLive(secret)) return;
    this.broken ??= `storage holds a secret that does not work, after ${this.processes.map(({ operations }) => operations.join(', ')).join(' | ')}`;
  }

  /** Lets everything happen that needs no time. */
  async settle(): Promise<void> {
    for (let turn = 0; turn < 3; turn++) await setImmediate();
  }

  /** Lets time pass, in steps, while hosts tick. */
  async pass(milliseconds: number, step = 1_000): Promise<void> {
    for (let left = milliseconds; left > 0; left -= step) {
      this.clock.advance(Math.min(step, left));
      await this.settle();
      for (const { manager, isDead } of this.processes) if (!isDead) await manager.periodic(this.clock.now());
      await this.settle();
      await this.check();
    }
  }

  /** Whether no credential is left that a clean-up could ask with, nor what it is about. */
  async isHopeless(id: string): Promise<boolean> {
    const { credentials, key_id, attempt } = (await this.stored(`wal/${id}`)) as {
      credentials: { client_secret: string }[];
      key_id?: string;
      attempt?: string;
    };
    const isKnown = credentials.some((credential) => this.directory.isLive(credential.client_secret));
    const isThere = this.directory.live.some(({ keyId, displayName }) => keyId === key_id || displayName === attempt);
    return (await this.config()) === undefined && !isKnown && !isThere;
  }

  /** Lets time pass until nothing is open or to be removed; a few hours at most. */
  async calm(): Promise<void> {
    for (const step of [
      ...Array<number>(40).fill(1_000),
      ...Array<number>(40).fill(60_000),
      ...Array<number>(20).fill(600_000),
    ]) {
      if ((await this.openState()) === undefined && (await this.disk.list('wal/')).length === 0) return;
      await this.pass(step, step);
    }
  }

  /** Both halves of the promise, once everything is calm: one secret for us, and those of others untouched. */
  async expectPromise(): Promise<void> {
    expect(this.broken).toBeUndefined();
    expect(await this.openState()).toBeUndefined();
    for (const id of await this.disk.list('wal/')) expect(await this.isHopeless(id)).toBe(true);
    const secret = await this.secret();
    const known = [...(secret === undefined ? [] : [secret]), ...this.foreign];
    expect(this.directory.live.map((password) => password.secret).sort()).toEqual([...new Set(known)].sort());
  }
}
