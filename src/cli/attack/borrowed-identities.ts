import { login } from './attack.js';
import type { AttackGroup } from './attack.js';

const NO_PROOF = ['xms_az_rid', 'xms_mirid'];
const OF_THE_IDENTITY_ONLY = ['xms_az_rid'];

/** A1: whoever shares an identity with another. */
export const SHARED_IDENTITIES: AttackGroup = {
  id: 'A1',
  title: 'a resource passes for another with which it shares a user-assigned identity',
  attacks: [
    login('a machine as another', 'token-proves-resource', ({ web2, web, shared }) => ({
      from: web2,
      token: { identity: shared },
      as: web,
    })),
    login('a machine as another, by resource_id', 'token-proves-resource', ({ web2, web, shared }) => ({
      from: web2,
      token: { identity: shared },
      as: web,
      fields: { vm_name: '', resource_id: web.id },
    })),
    login('a token that names the identity and no machine', 'token-proves-a-machine', ({ web2, web, shared }) => ({
      from: web2,
      token: { identity: shared, omit: OF_THE_IDENTITY_ONLY },
      as: web,
    })),
    login('a token that names nothing', 'identity-attached', ({ web2, web, shared }) => ({
      from: web2,
      token: { identity: shared, omit: NO_PROOF },
      as: web,
    })),
    login('a web app as a machine', 'token-proves-a-machine', ({ report, web }) => ({ from: report, as: web })),
    login('a pod as a machine, by resource_id', 'token-proves-a-machine', ({ shared, web }) => ({
      from: shared,
      as: web,
      fields: { vm_name: '', resource_id: web.id },
    })),
    login('an instance of a scale set as another scale set', 'token-proves-resource', ({ batchMachine, webSet }) => ({
      from: batchMachine,
      as: webSet,
    })),
    login('a pod as a scale set', 'token-proves-a-machine', ({ shared, webSet }) => ({ from: shared, as: webSet })),
  ],
  legitimate: {
    title: 'the machine itself logs in',
    pose: ({ web, shared }) => ({ from: web, token: { identity: shared }, as: web }),
  },
};

/** A6: identities of workloads in a resource group of the caller's choice. */
export const WORKLOADS: AttackGroup = {
  id: 'A6',
  title: 'a workload with an identity of its own making',
  attacks: [
    login('names the group that it made it in', 'resource-group-bound', ({ robotOfAttacker }) => ({
      from: robotOfAttacker,
      fields: {
        subscription_id: robotOfAttacker.subscriptionId,
        resource_group_name: robotOfAttacker.resourceGroup,
      },
    })),
    login('names the bound group', 'resource-exists', ({ robotOfAttacker, robot }) => ({
      from: robotOfAttacker,
      fields: { subscription_id: robot.subscriptionId, resource_group_name: robot.resourceGroup },
    })),
    login('names no group', 'resource-exists', ({ robotOfAttacker }) => ({ from: robotOfAttacker })),
    login('has the client id of the other identity', 'resource-exists', ({ robotOfAttacker, robot }) => ({
      from: robotOfAttacker,
      token: { overrides: { appid: robot.clientId } },
    })),
    login('has no client id', 'token-names-application', ({ robotOfAttacker }) => ({
      from: robotOfAttacker,
      token: { omit: ['appid'] },
    })),
    login('is an application and no identity', 'resource-exists', ({ stranger }) => ({ from: stranger })),
  ],
  legitimate: { title: 'the identity of the bound group logs in', pose: ({ robot }) => ({ from: robot }) },
};

/** A7: no principal meets no principal. */
export const EMPTY_PRINCIPALS: AttackGroup = {
  id: 'A7',
  title: 'an empty principal at a machine whose identity is listed without one',
  attacks: [
    ...(['', null, ['']] as const).map((oid) =>
      login(`oid is ${JSON.stringify(oid)}`, 'token-principal', ({ bare }) => ({
        from: bare,
        token: { overrides: { oid } },
        as: bare,
      })),
    ),
    login('there is no oid', 'token-principal', ({ bare }) => ({ from: bare, token: { omit: ['oid'] }, as: bare })),
    ...[' ', 'undefined'].map((oid) =>
      login(`oid is ${JSON.stringify(oid)}`, 'identity-attached', ({ bare }) => ({
        from: bare,
        token: { overrides: { oid } },
        as: bare,
      })),
    ),
  ],
  legitimate: { title: 'the machine itself logs in', pose: ({ bare }) => ({ from: bare, as: bare }) },
};
