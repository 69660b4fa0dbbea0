import { login } from './attack.js';
import type { AttackGroup } from './attack.js';

/** A15: names that look or fold like another. */
export const LOOK_ALIKES: AttackGroup = {
  id: 'A15',
  title: 'names that look like another, or become another when case is folded',
  attacks: [
    login('a machine with a Cyrillic letter', 'token-proves-resource', ({ web2, web }) => ({
      from: web2,
      token: { overrides: { xms_az_rid: web.id.replace(/web$/, 'w\u0435b') } },
      as: web,
    })),
    login('a machine in full-width letters', 'token-proves-resource', ({ web2, web }) => ({
      from: web2,
      token: { overrides: { xms_az_rid: web.id.replace(/web$/, '\uff57\uff45\uff42') } },
      as: web,
    })),
    login('a token of web with a sign of no width', 'token-resource-readable', ({ web2, web }) => ({
      from: web2,
      token: { overrides: { xms_az_rid: web.id.replace(/web$/, 'web\u200b') } },
      as: web,
    })),
    login('a web app with the long s, which is S in upper case', 'token-proves-resource', ({ shop2, shop }) => ({
      from: shop2,
      token: { overrides: { xms_mirid: shop.id.replace(/shop$/, '\u017fhop') } },
      as: shop,
    })),
    login('an identity with a dot at its end', 'token-resource-readable', ({ shared, web }) => ({
      from: shared,
      token: { overrides: { xms_mirid: `${shared.id}/.` } },
      as: web,
    })),
    ...['prod.', 'prod ', ' prod', 'prod\n'].map((name) =>
      login(`the resource group ${JSON.stringify(name)}`, 'resource_group_name', ({ web }) => ({
        from: web,
        as: web,
        fields: { resource_group_name: name },
      })),
    ),
    ...['web ', 'web.'].map((name) =>
      login(`the machine ${JSON.stringify(name)}`, 'vm_name', ({ web }) => ({
        from: web,
        as: web,
        fields: { vm_name: name },
      })),
    ),
    login('the machine web with a sign of no width', 'vm_name', ({ web }) => ({
      from: web,
      as: web,
      fields: { vm_name: 'we\u200bb' },
    })),
    login('the role prod with a blank', 'role', ({ web }) => ({ from: web, as: web, fields: { role: 'prod ' } })),
  ],
  legitimate: {
    title: 'the machine itself logs in, in upper case',
    pose: ({ web }) => ({ from: web, as: web, fields: { vm_name: 'WEB', resource_group_name: 'PROD' } }),
  },
};

/** A16: something of the same name, and what lies below or beside. */
export const NAMESAKES: AttackGroup = {
  id: 'A16',
  title: 'something else of the same name, or below it',
  attacks: [
    login('an Arc machine as a virtual machine', 'token-proves-resource', ({ arcMachine, web }) => ({
      from: arcMachine,
      as: web,
    })),
    login('a web app as a virtual machine', 'token-proves-resource', ({ webApp, web }) => ({ from: webApp, as: web })),
    login('a virtual machine as an Arc machine', 'token-proves-resource', ({ web, arcMachine }) => ({
      from: web,
      as: arcMachine,
    })),
    login('a virtual machine as a scale set', 'token-proves-resource', ({ web, webSet }) => ({
      from: web,
      as: webSet,
    })),
    login('a machine of a scale set as a virtual machine', 'token-proves-resource', ({ webSetMachine, web }) => ({
      from: webSetMachine,
      as: web,
    })),
    login('the scale set of another group', 'token-proves-resource-group', ({ batchOfAttackerMachine, batch }) => ({
      from: batchOfAttackerMachine,
      as: batch,
    })),
    login('an instance as another, by resource_id', 'token-proves-resource', ({ batchMachine, batch }) => ({
      from: batchMachine,
      as: batch,
      fields: { vmss_name: '', resource_id: `${batch.id}/virtualMachines/77` },
    })),
    login('a machine as what is below it', 'token-proves-resource', ({ web }) => ({
      from: web,
      as: web,
      fields: { vm_name: '', resource_id: `${web.id}/extensions/agent` },
    })),
    login('a web app as its slot', 'token-proves-resource', ({ shop }) => ({
      from: shop,
      as: shop,
      fields: { resource_id: `${shop.id}/slots/shop` },
    })),
    login('a pod as the identity that it uses', 'identity-attached', ({ shared }) => ({ from: shared, as: shared })),
  ],
  legitimate: {
    title: 'the instance as its scale set logs in',
    pose: ({ batchMachine, batch }) => ({ from: batchMachine, as: batch }),
  },
};
