import { login } from './attack.js';
import type { AttackGroup } from './attack.js';
import { ATTACKERS_GROUP, GROUP } from './inhabitants.js';

/** A2: names that hold one another. */
export const NESTED_NAMES: AttackGroup = {
  id: 'A2',
  title: 'a name that begins with another, or goes on after it',
  attacks: [
    login('web-2 as the machine web', 'token-proves-resource', ({ web2, web }) => ({ from: web2, as: web })),
    login('web as the machine web-2', 'token-proves-resource', ({ web, web2 }) => ({ from: web, as: web2 })),
    login(`web of ${ATTACKERS_GROUP} as that of ${GROUP}`, 'token-proves-resource-group', (all) => ({
      from: all.webOfAttacker,
      as: all.web,
    })),
    login(`web of ${ATTACKERS_GROUP} as itself`, 'resource-group-bound', ({ webOfAttacker }) => ({
      from: webOfAttacker,
      as: webOfAttacker,
    })),
    login('web_prod_x1 as the scale set web', 'token-proves-resource', ({ webProdMachine, webSet, shared }) => ({
      from: webProdMachine,
      token: { identity: shared },
      as: webSet,
    })),
    login('batch_x1 as the uniform scale set batch', 'orchestration-agrees', ({ batchLookalike, batch, shared }) => ({
      from: batchLookalike,
      token: { identity: shared },
      as: batch,
    })),
    login('a role of the scale set web, for the scale set batch', 'scale-set-bound', ({ batchMachine, batch }) => ({
      from: batchMachine,
      as: batch,
      fields: { role: 'web-scale-set' },
    })),
    login('a role of the location westeurope, in westeurope2', 'location-bound', ({ webFarAway }) => ({
      from: webFarAway,
      as: webFarAway,
      fields: { role: 'prod-of-one-location' },
    })),
    login('the web app shop-2 as the web app shop', 'token-proves-resource', ({ shop2, shop }) => ({
      from: shop2,
      as: shop,
    })),
  ],
  legitimate: {
    title: 'a machine of the scale set web logs in',
    pose: ({ webSetMachine, webSet }) => ({ from: webSetMachine, as: webSet }),
  },
};

/** A3: one claim for the machine, another for its place. */
export const DIVIDED_PROOF: AttackGroup = {
  id: 'A3',
  title: 'a machine proven by one claim and its place by the other',
  attacks: [
    login('xms_az_rid has the name, xms_mirid the group', 'token-proves-resource-group', ({ web, webOfAttacker }) => ({
      from: web,
      token: { overrides: { xms_az_rid: webOfAttacker.id } },
      as: web,
    })),
    login('xms_az_rid has the group, xms_mirid the name', 'token-proves-resource', ({ web, web2 }) => ({
      from: web,
      token: { overrides: { xms_az_rid: web2.id } },
      as: web,
    })),
    login('xms_az_rid has the wrong subscription', 'token-proves-subscription', ({ web, webElsewhere }) => ({
      from: web,
      token: { overrides: { xms_az_rid: webElsewhere.id } },
      as: web,
    })),
    login('xms_az_rid is empty', 'token-resource-readable', ({ web }) => ({
      from: web,
      token: { overrides: { xms_az_rid: '' } },
      as: web,
    })),
    ...['/', '/../web'].map((end) =>
      login(`xms_az_rid goes on with ${end}`, 'token-resource-readable', ({ web }) => ({
        from: web,
        token: { overrides: { xms_az_rid: `${web.id}${end}` } },
        as: web,
      })),
    ),
  ],
  legitimate: { title: 'the machine itself logs in', pose: ({ web }) => ({ from: web, as: web }) },
};

/** A4: a resource id that lies elsewhere than the fields beside it say. */
export const RESOURCE_ID_ELSEWHERE: AttackGroup = {
  id: 'A4',
  title: 'a resource_id elsewhere than subscription_id and resource_group_name say',
  attacks: [
    login('in another group', 'resource-id-agrees', ({ shopOfAttacker }) => ({
      from: shopOfAttacker,
      as: shopOfAttacker,
      fields: { resource_group_name: GROUP },
    })),
    login('in another subscription', 'resource-id-agrees', ({ shopElsewhere, shop }) => ({
      from: shopElsewhere,
      as: shopElsewhere,
      fields: { subscription_id: shop.subscriptionId },
    })),
    login('in another group, and the fields with it', 'resource-group-bound', ({ shopOfAttacker }) => ({
      from: shopOfAttacker,
      as: shopOfAttacker,
    })),
    login('in another subscription, and the fields with it', 'subscription-bound', ({ shopElsewhere }) => ({
      from: shopElsewhere,
      as: shopElsewhere,
    })),
    login('the one of another group in the fields and the id', 'token-proves-resource-group', (all) => ({
      from: all.shopOfAttacker,
      as: all.shop,
    })),
  ],
  legitimate: { title: 'the web app itself logs in', pose: ({ shop }) => ({ from: shop, as: shop }) },
};

/** A5: names that are paths. */
export const NAMES_AS_PATHS: AttackGroup = {
  id: 'A5',
  title: 'names that lead elsewhere once they are part of a URL',
  attacks: [
    ...['#', '?api-version=1', '/..', '/../web', '%2f..%2fweb', '/extensions'].map((end) =>
      login(`resource_id ends in ${end}`, 'resource_id', ({ web2, web }) => ({
        from: web2,
        as: web,
        fields: { vm_name: '', resource_id: `${web.id}${end}` },
      })),
    ),
    ...['..', '../web', 'web-2?x=', 'web-2#'].map((name) =>
      login(`vm_name is ${name}`, 'vm_name', ({ web2 }) => ({ from: web2, as: web2, fields: { vm_name: name } })),
    ),
    login('vmss_name holds an escape', 'vmss_name', ({ batchMachine, batch }) => ({
      from: batchMachine,
      as: batch,
      fields: { vmss_name: 'batch%2f..' },
    })),
    login('resource_group_name holds a slash', 'resource_group_name', ({ web2 }) => ({
      from: web2,
      as: web2,
      fields: { resource_group_name: `${ATTACKERS_GROUP}/../${GROUP}` },
    })),
    login('subscription_id goes on', 'subscription_id', ({ web2 }) => ({
      from: web2,
      as: web2,
      fields: { subscription_id: `${web2.subscriptionId}/..` },
    })),
  ],
  legitimate: {
    title: 'the machine itself logs in, by resource_id',
    pose: ({ web }) => ({ from: web, as: web, fields: { vm_name: '', resource_id: web.id } }),
  },
};
