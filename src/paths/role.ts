import { definePath } from '../framework/path.js';
import type { PathDefinition } from '../framework/path.js';
import type { Dialect } from './dialect.js';
import { DEPRECATED_FIELDS, ROLE_FIELDS } from './role-fields.js';
import type { RoleValues } from './role-fields.js';
import { ROLE_NAME } from './role-store.js';
import type { RoleStore } from './role-store.js';

/** `role/:name`: one role (spec 2.2, 4.5, 4.6, 4.6b). */
export function rolePath(store: RoleStore, dialect: Dialect): PathDefinition {
  return definePath({
    pattern: 'role/:name',
    parameters: { name: ROLE_NAME },
    fields: ROLE_FIELDS,
    exists: async ({ name = '' }) => (await store.get(name)) !== undefined,
    operations: {
      write: {
        summary: 'Create or update a role; fields that are not given keep their values.',
        handle: async ({ parameters: { name = '' }, values, warnings }) => {
          await store.update(name, values, warnings);
          return undefined;
        },
      },
      read: {
        summary: 'Read a role.',
        handle: async ({ parameters: { name = '' } }) => {
          const role = await store.get(name);
          return role && { data: readRole(role.values, dialect) };
        },
      },
      delete: {
        summary: 'Delete a role; tokens issued with it can no longer be renewed.',
        handle: async ({ parameters: { name = '' } }) => {
          await store.delete(name);
          return undefined;
        },
      },
    },
    help: {
      synopsis: 'Says who can log in, and what the tokens allow.',
      description:
        'A role needs at least one bound_* list. Lists of principals and groups are decided by the token alone; the others ask ' +
        'the cloud about the machine. A list that is given empty is emptied; one that is not given is kept.',
    },
  });
}

/** `role`: the list of roles (spec 4.6a). */
export function roleListPath(store: RoleStore): PathDefinition {
  return definePath({
    pattern: 'role',
    fields: {},
    operations: {
      list: {
        summary: 'List the names of the roles.',
        handle: async () => ({ data: { keys: await store.list() } }),
      },
    },
    help: { synopsis: 'Lists the roles.', description: 'Names come in lower case, sorted.' },
  });
}

function readRole(values: RoleValues, dialect: Dialect): Record<string, unknown> {
  const data: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(ROLE_FIELDS))
    data[name] = values[name as keyof RoleValues] ?? field.default;
  for (const [old, { deprecatedFor }] of Object.entries(DEPRECATED_FIELDS)) data[old] = data[deprecatedFor];
  data['token_type'] ||= dialect.unsetTokenType;
  return data;
}
