import { login } from './attack.js';
import type { AttackGroup } from './attack.js';

/** A18: claims of types that they never have. */
export const ODD_CLAIMS: AttackGroup = {
  id: 'A18',
  title: 'claims of types that they never have',
  attacks: [
    ...(['xms_az_rid', 'xms_mirid'] as const).flatMap((claim) =>
      [(id: string) => [id], (id: string) => ({ id }), () => null].map((wrap) =>
        login(`${claim} is ${JSON.stringify(wrap('...'))}`, 'token-resource', ({ web2, web }) => ({
          from: web2,
          token: { overrides: { [claim]: wrap(web.id) } },
          as: web,
        })),
      ),
    ),
    login('appid is an array', 'token-application', ({ robotOfAttacker, robot }) => ({
      from: robotOfAttacker,
      token: { overrides: { appid: [robot.clientId] } },
    })),
    login('tid is a domain', 'token-tenant', ({ web }) => ({
      from: web,
      token: { overrides: { tid: 'attacker.onmicrosoft.com' } },
      as: web,
    })),
    login('iss holds the tenant and more', 'token-issuer', ({ web }) => ({
      from: web,
      token: { overrides: { iss: 'https://sts.windows.net/common/' } },
      as: web,
    })),
    login('iat is in the future', 'token-issued-at', ({ web }) => ({
      from: web,
      token: { overrides: { iat: 4_102_444_800 } },
      as: web,
    })),
  ],
  legitimate: { title: 'the machine itself logs in', pose: ({ web }) => ({ from: web, as: web }) },
};

/** A19: groups that one is not in. */
export const GROUPS_OF_OTHERS: AttackGroup = {
  id: 'A19',
  title: 'a principal that is not in the bound group',
  attacks: [
    login('has too many groups to list', 'group-confirmed', ({ web2 }) => ({
      from: web2,
      token: { groups: 'overage' },
      fields: { role: 'members' },
    })),
    login('says so by hasgroups', 'group-confirmed', ({ web2 }) => ({
      from: web2,
      token: { groups: 'hasgroups' },
      fields: { role: 'members' },
    })),
    ...[{ hasgroups: 'true' }, { _claim_names: 'groups' }, { groups: ['*'] }, { groups: [''] }].map((overrides) =>
      login(JSON.stringify(overrides), 'group-bound', ({ web2 }) => ({
        from: web2,
        token: { overrides },
        fields: { role: 'members' },
      })),
    ),
    login('names the group in a text', 'token-groups', ({ web2, group }) => ({
      from: web2,
      token: { overrides: { groups: group.id } },
      fields: { role: 'members' },
    })),
  ],
  legitimate: {
    title: 'a member with too many groups to list logs in',
    pose: ({ web }) => ({ from: web, token: { groups: 'overage' }, fields: { role: 'members' } }),
  },
};
