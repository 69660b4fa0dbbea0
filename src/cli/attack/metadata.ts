import { CommandFailure } from '../command-failure.js';
import { member } from '../json-exchange.js';
import type { Arena } from './arena.js';
import type { Attack, AttackGroup } from './attack.js';
import type { PoseOf } from './pose.js';

/** What the attacker says of himself, and what no metadata may say. */
const LIES = { subscription_id: '11111111-2222-3333-4444-555555555555', resource_group_name: 'payroll' };

/**
 * An attack by a login that is granted for its principal alone. What refuses it is that the token's metadata holds none of the lies.
 *
 * @param held - what it may hold
 */
function lie(title: string, held: string, pose: PoseOf): Attack {
  return {
    title,
    refusedBy: `the metadata holds ${held}`,
    attempt: async (arena) => {
      const { fields, ...rest } = pose(arena.inhabitants);
      const body = await arena.loginOf({ ...rest, fields: { ...LIES, ...fields, role: 'principals' } });
      const metadata = await metadataOf(arena, await arena.logIn(body));
      const lies: readonly unknown[] = Object.values({ ...LIES, ...fields });
      const isTaken = Object.values(metadata).some((value) => lies.includes(value));
      return isTaken ? undefined : { by: `the metadata holds ${Object.keys(metadata).join(', ')}` };
    },
  };
}

async function metadataOf(arena: Arena, token: string): Promise<object> {
  const answer = await arena.post('auth/token/lookup', { token }, arena.asAdministrator());
  const metadata = member(member(answer.body, 'data'), 'meta');
  if (typeof metadata === 'object' && metadata !== null) return metadata;
  throw new CommandFailure('the service token has no metadata');
}

/** A9: names that nobody verified, in metadata that policies are made of. */
export const UNVERIFIED_METADATA: AttackGroup = {
  id: 'A9',
  title: 'names of others in the metadata of a token, from a role that asks for none',
  attacks: [
    lie('the token names nothing', 'role', ({ web }) => ({
      from: web,
      token: { omit: ['xms_az_rid', 'xms_mirid'] },
      fields: { vm_name: 'database' },
    })),
    lie('the token names an identity', 'role', ({ shared }) => ({ from: shared, fields: { vmss_name: 'database' } })),
    lie('the token names another machine', 'role, subscription_id, resource_group_name', ({ web2 }) => ({
      from: web2,
      fields: { vm_name: 'database' },
    })),
    lie('the name is ignored, since another wins', 'role, subscription_id, resource_group_name', ({ web2 }) => ({
      from: web2,
      fields: { vm_name: 'web-2', vmss_name: 'database' },
    })),
    lie('the name is of a resource below the machine', 'role, subscription_id, resource_group_name', ({ web2 }) => ({
      from: web2,
      fields: { resource_id: `${web2.id}/extensions/database` },
    })),
  ],
  legitimate: { title: 'the machine that the names are of logs in', pose: ({ web }) => ({ from: web, as: web }) },
};
