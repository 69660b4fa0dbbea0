import type { RequestBody } from './arena.js';
import { login } from './attack.js';
import type { Attack, AttackGroup } from './attack.js';
import { GROUP } from './inhabitants.js';
import { refusalIn } from './refusal.js';

/** An attack by an administrator's mistake: a new role that would let everybody in. */
function newRole(title: string, refusedBy: string, body: RequestBody): Attack {
  return {
    title,
    refusedBy,
    attempt: async (arena) => {
      const answer = await arena.post('auth/cloud/role/open', body, arena.asAdministrator());
      return answer.status === 400 ? refusalIn(answer) : undefined;
    },
  };
}

/** A8: roles that let everybody in. */
export const OPEN_ROLES: AttackGroup = {
  id: 'A8',
  title: 'a role for everybody',
  attacks: [
    newRole('without any list', 'bound_service_principal_ids', {}),
    newRole('of empty lists', 'bound_service_principal_ids', { bound_group_ids: [], bound_locations: '' }),
    newRole('of any principal', 'bound_service_principal_ids', { bound_service_principal_ids: ['*'] }),
    newRole('of any group', 'bound_service_principal_ids', { bound_group_ids: '*' }),
    newRole('of any of both', 'bound_service_principal_ids', {
      bound_service_principal_ids: ['*'],
      bound_group_ids: ['*'],
    }),
    newRole('of any principal and one more', 'bound_service_principal_ids', {
      bound_service_principal_ids: ['*', '11111111-2222-3333-4444-555555555555'],
    }),
    ...['subscription_ids', 'resource_groups', 'locations', 'scale_sets'].map((list) =>
      newRole(`with "*" in bound_${list}`, `bound_${list}`, { [`bound_${list}`]: ['*'] }),
    ),
    login('to log in with such a role all the same', 'role', ({ webOfAttacker }) => ({
      from: webOfAttacker,
      as: webOfAttacker,
      fields: { role: 'open' },
    })),
  ],
  legitimate: { title: 'a machine with a role that is bound logs in', pose: ({ web }) => ({ from: web, as: web }) },
};

/**
 * An attack by an administrator's mistake: an update of a role of one resource group. Either it is refused, or a machine of another
 * group still is.
 */
function update(title: string, refusedBy: string, change: RequestBody, bound: object = {}): Attack {
  return {
    title,
    refusedBy,
    attempt: async (arena) => {
      const path = 'auth/cloud/role/updated';
      await arena.administer(path, { bound_resource_groups: [GROUP], bound_service_principal_ids: [], ...bound });
      const answer = await arena.post(path, change, arena.asAdministrator());
      if (answer.status === 400) return refusalIn(answer);
      const { webOfAttacker } = arena.inhabitants;
      return arena.refusalOf(
        await arena.loginOf({ from: webOfAttacker, as: webOfAttacker, fields: { role: 'updated' } }),
      );
    },
  };
}

const SOMEBODY = { bound_service_principal_ids: ['11111111-2222-3333-4444-555555555555'] };

/** A12: updates that empty what binds a role. */
export const EMPTYING_UPDATES: AttackGroup = {
  id: 'A12',
  title: 'an update that leaves nothing that binds a role',
  attacks: [
    update('the only list is emptied', 'bound_service_principal_ids', { bound_resource_groups: [] }),
    update('by an empty text', 'bound_service_principal_ids', { bound_resource_groups: '' }),
    update('the list becomes a comma', 'bound_resource_groups', { bound_resource_groups: ',' }),
    update('the list holds an empty text', 'bound_resource_groups', { bound_resource_groups: [''] }),
    update('the list is null', 'resource-group-bound', { bound_resource_groups: null }),
    update('the list is not named', 'resource-group-bound', { token_ttl: 60 }),
    update('one of two lists is emptied', 'service-principal-bound', { bound_resource_groups: [] }, SOMEBODY),
  ],
  legitimate: { title: 'a machine of the bound group logs in', pose: ({ web }) => ({ from: web, as: web }) },
};
