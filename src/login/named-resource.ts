import type { LoginRequest, NamedResource, RoleConstraints } from './facts.js';
import { fold } from './fold.js';
import { isOfType, SCALE_SET, VIRTUAL_MACHINE } from './resource-id.js';
import type { ResourceId } from './resource-id.js';

/** The resource that a request names: `vmss_name` wins over `vm_name`, that over `resource_id`; the others are ignored. */
export function namedResource(request: LoginRequest): NamedResource {
  const { subscriptionId, resourceGroup, scaleSetName, vmName, resourceId } = request;
  if (scaleSetName !== '') {
    const id = { subscriptionId, resourceGroup, type: SCALE_SET, names: [scaleSetName] };
    return { kind: 'scale set', field: 'vmss_name', id };
  }
  if (vmName !== '') {
    const id = { subscriptionId, resourceGroup, type: VIRTUAL_MACHINE, names: [vmName] };
    return { kind: 'virtual machine', field: 'vm_name', id };
  }
  return resourceId === undefined ? { kind: 'workload' } : { kind: 'resource', field: 'resource_id', id: resourceId };
}

/**
 * Whether the named resource is a machine that shares user-assigned identities with others as a matter of course. Naming one by
 * `resource_id` does not make it anything else.
 */
export function isMachine(named: NamedResource): boolean {
  if (named.kind === 'workload') return false;
  return [VIRTUAL_MACHINE, SCALE_SET].some((type) => startsWithType(named.id, type));
}

/** Subscriptions and resource groups in which the identity of a workload may be. */
export function workloadPlaces(
  { subscriptionIds, resourceGroups }: RoleConstraints,
  request: LoginRequest,
): readonly Place[] {
  const subscriptions = request.subscriptionId === '' ? [...subscriptionIds] : [fold(request.subscriptionId)];
  const groups = request.resourceGroup === '' ? [...resourceGroups] : [fold(request.resourceGroup)];
  return subscriptions.flatMap((subscriptionId) => groups.map((resourceGroup) => ({ subscriptionId, resourceGroup })));
}

/** A resource group of a subscription. */
export interface Place {
  readonly subscriptionId: string;
  readonly resourceGroup: string;
}

function startsWithType(id: ResourceId, type: string): boolean {
  return isOfType({ ...id, type: id.type.split('/').slice(0, 2).join('/') }, type);
}
