import { randomUUID } from 'node:crypto';
import type { Principal } from './resources.js';

/** A group in the directory. */
export interface Group {
  readonly id: string;
  /** Object ids of principals and groups, in lower case. */
  readonly memberIds: readonly string[];
}

/** What to make a {@link Group} of. */
export interface GroupOptions {
  /** Object id. Default: random. */
  readonly id?: string;
  /** Principals, groups, or object ids of either or of users. */
  readonly members?: readonly (string | Pick<Principal, 'principalId'> | Group)[];
}

/** The directory's groups. Looking up ignores case. */
export class Groups {
  readonly #groups = new Map<string, Group>();

  /** Adds a group, replacing one with the same id. */
  add({ id = randomUUID(), members = [] }: GroupOptions): Group {
    const group = { id, memberIds: members.map((member) => objectId(member).toLowerCase()) };
    this.#groups.set(id.toLowerCase(), group);
    return group;
  }

  remove(group: Group): void {
    this.#groups.delete(group.id.toLowerCase());
  }

  /** Whether any group names it as a member. */
  hasMember(id: string): boolean {
    return [...this.#groups.values()].some(({ memberIds }) => memberIds.includes(id.toLowerCase()));
  }

  /** Ids of the groups that it is in, directly or through other groups. */
  idsOf(id: string): ReadonlySet<string> {
    const found = new Set<string>();
    const open = [id.toLowerCase()];
    for (let member = open.pop(); member !== undefined; member = open.pop()) {
      for (const [key, group] of this.#groups) {
        if (found.has(group.id) || !group.memberIds.includes(member)) continue;
        found.add(group.id);
        open.push(key);
      }
    }
    return found;
  }
}

function objectId(member: NonNullable<GroupOptions['members']>[number]): string {
  if (typeof member === 'string') return member;
  return 'principalId' in member ? member.principalId : member.id;
}
