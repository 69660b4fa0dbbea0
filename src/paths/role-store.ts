import type { Clock, Storage, System } from '../contract/index.js';
import { RecordStore } from '../framework/record-store.js';
import { DEPRECATED_FIELDS } from './role-fields.js';
import type { RoleValues } from './role-fields.js';
import { toRole } from './role-record.js';
import type { Role } from './role-record.js';
import { checkRole } from './role-rules.js';

const PREFIX = 'role/';
/** Parsed roles take one or two kilobytes each; more than this are read again when used. */
const MAX_CACHED = 100_000;

/** Names of roles: safe as a storage key on any host. */
export const ROLE_NAME = {
  description: 'Name of the role; case does not count.',
  pattern: /^\w(?:[\w.-]{0,126}\w)?$/,
  takes: 'at most 128 letters, digits, "_", "-" and ".", beginning and ending with a letter, digit or "_"',
} as const;

/** The roles of one mount. Names are case-insensitive. */
export class RoleStore {
  readonly #records: RecordStore<Role | undefined>;
  readonly #system: System;

  constructor(storage: Storage, clock: Clock, system: System, maxAge: number | undefined) {
    this.#system = system;
    this.#records = new RecordStore<Role | undefined>(storage, clock, {
      parse: (record, key) => record && toRole(key.slice(PREFIX.length), record),
      maxEntries: MAX_CACHED,
      ...(maxAge !== undefined && { maxAge }),
    });
  }

  /** The role, or `undefined` when there is none of that name. Costs nothing while it is cached. */
  get(name: string): Role | undefined | Promise<Role | undefined> {
    return this.#records.get(keyOf(name));
  }

  /** Changes the given fields and keeps the others. Throws `invalid_request` and stores nothing when a rule is broken. */
  async update(name: string, values: RoleValues, warnings: string[]): Promise<void> {
    const maxLeaseTtl = await this.#system.maxLeaseTtl();
    const given = withoutDeprecated(values, warnings);
    await this.#records.update(keyOf(name), (current) => {
      const next = { ...current, ...given, version: 1 };
      checkRole(next, maxLeaseTtl, warnings);
      return next;
    });
  }

  delete(name: string): Promise<void> {
    return this.#records.delete(keyOf(name));
  }

  list(): Promise<string[]> {
    return this.#records.list(PREFIX);
  }

  invalidate(key: string): void {
    if (key.startsWith(PREFIX)) this.#records.invalidate(key);
  }
}

/** Moves values given under old names to the new ones; where both are given the new one wins. */
function withoutDeprecated(values: RoleValues, warnings: string[]): RoleValues {
  const given: Record<string, unknown> = { ...values };
  for (const [old, { deprecatedFor }] of Object.entries(DEPRECATED_FIELDS)) {
    if (!(old in given)) continue;
    if (deprecatedFor in given) warnings.push(`${old} was ignored, since ${deprecatedFor} is given`);
    else given[deprecatedFor] = given[old];
    // eslint-disable-next-line @typescript-eslint/no-dynamic-delete -- the names are those of the table above
    delete given[old];
  }
  return given;
}

function keyOf(name: string): string {
  return PREFIX + name.toLowerCase();
}
