import { randomBytes, randomUUID } from 'node:crypto';
import { AuthMethodError } from '../../contract/index.js';
import type { BackendFactory, Clock, Logger, Storage } from '../../contract/index.js';
import { prefixedStorage } from '../../storage/index.js';
import type { IdentityTokens } from './identity-tokens.js';
import { KeyedQueue } from './keyed-queue.js';
import type { LeaseLimits } from './lifetime.js';
import { Mount } from './mount.js';
import type { MountRecord, MountTuning } from './mount.js';
import { mountSystem } from './mount-system.js';
import type { Records } from './records.js';

const TABLE = 'core/mounts';
const FOLDER = 'mount/';

const MAX_PATH = 256;
const MOUNT_PATH = /^[\w~-][\w.~-]*(?:\/[\w~-][\w.~-]*)*$/;

/** What a {@link MountTable} works with. */
export interface MountTableOptions {
  /** Makers of backends by the type that operators enable. */
  readonly factories: ReadonlyMap<string, BackendFactory>;
  readonly storage: Storage;
  readonly records: Records;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly limits: LeaseLimits;
  /** Product and version for user agents. */
  readonly product: string;
  readonly identityTokens: IdentityTokens;
}

/** How a method is enabled. */
export interface MountRequest {
  readonly path: string;
  readonly type: string;
  readonly options: Readonly<Record<string, string>>;
  readonly tuning: MountTuning;
}

/**
 * The enabled auth methods. One stored record holds the whole table, and writing it is what makes a change happen; what was
 * prepared for a change that did not happen, or is left of a mount that is gone, is deleted, at the latest at the next start.
 */
export class MountTable {
  readonly #options: MountTableOptions;
  readonly #mounts = new Map<string, Mount>();
  readonly #changes = new KeyedQueue();

  constructor(options: MountTableOptions) {
    this.#options = options;
  }

  /** Brings back the mounts that an earlier process stored. */
  async load(): Promise<void> {
    const table = await this.#options.records.get(TABLE);
    const stored = (table?.['mounts'] ?? []) as MountRecord[];
    const known = new Set(stored.map(({ id }) => `${id}/`));
    for (const name of await this.#options.records.list(FOLDER)) {
      if (!known.has(name)) await this.#options.records.deleteAll(FOLDER + name);
    }
    for (const record of stored) {
      const mount = this.#make(record);
      this.#mounts.set(record.path, mount);
      await mount.backend.initialize();
    }
  }

  /** Mounts in the order of their paths. */
  list(): Mount[] {
    return [...this.#mounts.values()].sort((a, b) => (a.record.path < b.record.path ? -1 : 1));
  }

  /** The mount that serves a path below `auth/`, with the rest of the path. */
  resolve(path: string): { mount: Mount; rest: string } | undefined {
    for (let slash = path.indexOf('/'); slash >= 0; slash = path.indexOf('/', slash + 1)) {
      const mount = this.#mounts.get(path.slice(0, slash));
      if (mount !== undefined) return { mount, rest: path.slice(slash + 1) };
    }
    const mount = this.#mounts.get(path);
    return mount && { mount, rest: '' };
  }

  findById(id: string): Mount | undefined {
    for (const mount of this.#mounts.values()) if (mount.record.id === id) return mount;
    return undefined;
  }

  /** The mount at exactly this path. Throws `not_found`. */
  at(path: string): Mount {
    const mount = this.#mounts.get(path);
    if (mount === undefined) throw new AuthMethodError('not_found', 'no auth method is enabled at this path');
    return mount;
  }

  /** Enables a method. Throws `invalid_request` when the path is taken, or lies above or below one that is. */
  async enable({ path, type, options, tuning }: MountRequest): Promise<void> {
    await this.#changes.run(TABLE, async () => {
      this.#checkPath(path);
      const accessor = `auth_${type}_${randomBytes(4).toString('hex')}`;
      const mount = this.#make({ id: randomUUID(), path, type, accessor, options, tuning });
      try {
        await mount.backend.initialize();
        await this.#store([...this.list(), mount].map(({ record }) => record));
      } catch (error) {
        await this.discard(mount);
        throw error;
      }
      this.#mounts.set(path, mount);
    });
  }

  /** Changes the tuning of a mount. */
  async tune(path: string, change: (current: MountTuning) => MountTuning): Promise<void> {
    await this.#changes.run(TABLE, async () => {
      const mount = this.at(path);
      const record = { ...mount.record, tuning: change(mount.record.tuning) };
      await this.#store(this.list().map((each) => (each === mount ? record : each.record)));
      mount.record = record;
    });
  }

  /** Takes a mount out of service, if there is one. The caller ends its tokens and then discards it. */
  async disable(path: string): Promise<Mount | undefined> {
    return this.#changes.run(TABLE, async () => {
      const mount = this.#mounts.get(path);
      if (mount === undefined) return undefined;
      await this.#store(this.list().flatMap((each) => (each === mount ? [] : [each.record])));
      this.#mounts.delete(path);
      mount.live = false;
      return mount;
    });
  }

  /** Ends the backend of a mount that is out of service and deletes its data. Failures are logged: nothing uses it any more. */
  async discard(mount: Mount): Promise<void> {
    await this.#attempt(mount, () => mount.backend.cleanup());
    await this.#attempt(mount, () => this.#options.records.deleteAll(`${FOLDER}${mount.record.id}/`));
  }

  /** Ends all backends. Their data stays. Failures are logged. */
  async close(): Promise<void> {
    await Promise.all(this.list().map((mount) => this.#attempt(mount, () => mount.backend.cleanup())));
  }

  async #attempt(mount: Mount, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#options.logger.error('an auth method was not cleaned up', { mount: mount.record.path, error });
    }
  }

  #checkPath(path: string): void {
    const reserved = path === 'token' || path.startsWith('token/') || path.endsWith('/tune');
    if (!MOUNT_PATH.test(path) || path.length > MAX_PATH || reserved) {
      throw new AuthMethodError(
        'invalid_request',
        `path: takes at most ${MAX_PATH} letters, digits and ._~- in segments; "token" and a last segment "tune" are reserved`,
        { field: 'path' },
      );
    }
    for (const taken of this.#mounts.keys()) {
      if (`${taken}/`.startsWith(`${path}/`) || `${path}/`.startsWith(`${taken}/`)) {
        throw new AuthMethodError('invalid_request', `path: is already in use at ${taken}/`, { field: 'path' });
      }
    }
  }

  #make(record: MountRecord): Mount {
    const { factories, storage, clock, logger, limits, product, identityTokens } = this.#options;
    const factory = factories.get(record.type);
    if (factory === undefined) {
      const types = [...factories.keys()].join(', ');
      throw new AuthMethodError('invalid_request', `type: takes one of ${types}`, { field: 'type' });
    }
    const view = prefixedStorage(storage, `${FOLDER}${record.id}/`);
    return new Mount(record, view, limits, (mount) =>
      factory({ storage: view, system: mountSystem(mount, product, identityTokens), logger, clock }),
    );
  }

  async #store(mounts: readonly MountRecord[]): Promise<void> {
    await this.#options.records.put(TABLE, { mounts });
  }
}
