import { randomUUID } from 'node:crypto';
import type { Actor, Simulator } from '../../simulator/index.js';

/** Resource group of those who may log in. */
export const GROUP = 'prod';
/** Resource group of the attacker, who calls his things like those of the other one. */
export const ATTACKERS_GROUP = 'prod-evil';

/** Who is in the cloud that is attacked. */
export type Inhabitants = ReturnType<typeof populate>;

/** Fills a cloud whose default resource group is {@link GROUP}. */
export function populate(cloud: Simulator) {
  const shared = cloud.addUserAssignedIdentity({ name: 'shared' });
  const machine = { systemAssigned: true, userAssigned: [shared] };
  const attackers = { resourceGroup: ATTACKERS_GROUP };
  const elsewhere = { subscriptionId: randomUUID() };
  const site = (name: string, place: object = {}): Actor =>
    cloud.addResource({ type: 'Microsoft.Web/sites', name, systemAssigned: true, ...place });

  const web = cloud.addVirtualMachine({ name: 'web', ...machine });
  const webSet = cloud.addScaleSet({ name: 'web', orchestration: 'flexible', userAssigned: [shared] });
  const batch = cloud.addScaleSet({ name: 'batch', userAssigned: [shared] });
  const batchOfAttacker = cloud.addScaleSet({ name: 'batch', userAssigned: [shared], ...attackers });
  return {
    /** A user-assigned identity that most machines have. */
    shared,
    web,
    web2: cloud.addVirtualMachine({ name: 'web-2', ...machine }),
    webOfAttacker: cloud.addVirtualMachine({ name: 'web', ...machine, ...attackers }),
    webElsewhere: cloud.addVirtualMachine({ name: 'web', ...machine, ...elsewhere }),
    /** In a location whose name goes on after that of the others. */
    webFarAway: cloud.addVirtualMachine({ name: 'web-far-away', ...machine, location: `${cloud.location}2` }),
    webSet,
    webSetMachine: cloud.addInstance(webSet),
    /** No machine of the scale set: an underscore too many. */
    webProdMachine: cloud.addVirtualMachine({ name: 'web_prod_x1', ...machine }),
    batch,
    batchMachine: cloud.addInstance(batch),
    /** A machine of its own, called as if it were one of the scale set, which is uniform. */
    batchLookalike: cloud.addVirtualMachine({ name: 'batch_x1', ...machine }),
    batchOfAttackerMachine: cloud.addInstance(batchOfAttacker),
    shop: site('shop'),
    shop2: site('shop-2'),
    shopOfAttacker: site('shop', attackers),
    shopElsewhere: site('shop', elsewhere),
    /** A web app with the shared identity. */
    report: site('report', { systemAssigned: false, userAssigned: [shared] }),
    webApp: site('web'),
    arcMachine: cloud.addResource({ type: 'Microsoft.HybridCompute/machines', name: 'web', systemAssigned: true }),
    /** A machine whose identity the resource manager lists without its object id. */
    bare: cloud.addVirtualMachine({ name: 'bare', userAssigned: [shared], omitPrincipalIds: true }),
    builder: cloud.addVirtualMachine({ name: 'constructor', systemAssigned: true }),
    /** Identities of workloads. */
    robot: cloud.addUserAssignedIdentity({ name: 'robot' }),
    robotOfAttacker: cloud.addUserAssignedIdentity({ name: 'robot', ...attackers }),
    application: cloud.addApplication(),
    /** An application that may read nothing in the cloud. */
    stranger: cloud.addApplication({ mayRead: () => false }),
    /** A group of the directory with one member. */
    group: cloud.addGroup({ members: web.systemAssigned ? [web.systemAssigned] : [] }),
  };
}

/** The roles that attacks are tried on, by their names. */
export function rolesFor(inhabitants: Inhabitants): Readonly<Record<string, object>> {
  const { web, web2, shared, group } = inhabitants;
  const place = { bound_subscription_ids: [web.subscriptionId], bound_resource_groups: [GROUP] };
  const principals = [shared, web.systemAssigned, web2.systemAssigned].flatMap((each) => each?.principalId ?? []);
  return {
    /** Whatever is in one resource group. */
    prod: place,
    'prod-of-any-subscription': { bound_resource_groups: [GROUP] },
    'prod-of-one-location': { ...place, bound_locations: [web.location] },
    'prod-of-an-office': { ...place, token_bound_cidrs: ['192.0.2.0/24'] },
    principals: { bound_service_principal_ids: principals },
    members: { bound_group_ids: [group.id] },
    'web-scale-set': { bound_scale_sets: ['web'] },
  };
}
