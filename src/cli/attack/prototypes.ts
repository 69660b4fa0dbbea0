import { login } from './attack.js';
import type { Attack, AttackGroup } from './attack.js';
import { forgery } from './forger.js';
import { refusalIn } from './refusal.js';

/** JSON in which a member is called `__proto__`: an object literal would set the prototype. */
function withProto(object: object, proto: object): string {
  const json = JSON.stringify(object);
  return `{"__proto__":${JSON.stringify(proto)}${json === '{}' ? '' : ','}${json.slice(1)}`;
}

const ROLE_FROM_THE_PROTOTYPE: Attack = {
  title: 'a role whose list is in __proto__',
  refusedBy: 'bound_service_principal_ids',
  attempt: async (arena) => {
    const body = withProto({}, { bound_subscription_ids: [arena.cloud.subscriptionId] });
    const answer = await arena.post('auth/cloud/role/__proto__', body, arena.asAdministrator());
    return answer.status === 400 ? refusalIn(answer) : undefined;
  },
};

const LOGIN_FROM_THE_PROTOTYPE: Attack = {
  title: 'a login whose fields are in __proto__',
  refusedBy: 'role',
  attempt: async (arena) => {
    const { web } = arena.inhabitants;
    return arena.refusalOf(withProto({}, await arena.loginOf({ from: web, as: web })));
  },
};

/** A14: names that every object has. */
export const PROTOTYPES: AttackGroup = {
  id: 'A14',
  title: 'names that every JavaScript object has',
  attacks: [
    ROLE_FROM_THE_PROTOTYPE,
    LOGIN_FROM_THE_PROTOTYPE,
    ...['__proto__', 'constructor', 'hasOwnProperty'].map((role) =>
      login(`the role ${role}`, 'role', ({ web }) => ({ from: web, as: web, fields: { role } })),
    ),
    forgery('oid in __proto__', 'token-principal', (forger) => {
      const { oid, ...claims } = forger.claims;
      return forger.sign(forger.header, withProto(claims, { oid }));
    }),
    forgery('kid in __proto__', 'token-header', (forger) => {
      const { kid, ...header } = forger.header;
      return forger.sign(withProto(header, { kid }), forger.claims);
    }),
    forgery('the key __proto__', 'token-key', (forger) => forger.withHeader({ kid: '__proto__' })),
    login('the machine constructor as toString', 'token-proves-resource', ({ builder }) => ({
      from: builder,
      as: builder,
      fields: { vm_name: 'toString' },
    })),
  ],
  legitimate: { title: 'the machine constructor logs in', pose: ({ builder }) => ({ from: builder, as: builder }) },
};
