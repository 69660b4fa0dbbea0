import type { TokenFacts } from './facts.js';
import { fold, sameName } from './fold.js';
import { hasResourceConstraints, list, lists } from './principal-rules.js';
import { formatResourceId, isOfType, ownName, USER_ASSIGNED_IDENTITY, VIRTUAL_MACHINE } from './resource-id.js';
import type { ResourceId } from './resource-id.js';
import type { Verdict } from './rule.js';

/**
 * Resource constraints need `subscription_id`, `resource_group_name` and a resource. `vmss_name` wins over `vm_name`, that over
 * `resource_id`; the others are ignored.
 */
export function resourceIsNamed({ role, request }: TokenFacts): Verdict {
  if (!hasResourceConstraints(role)) return 'not needed';
  if (request.subscriptionId === '') return missing('subscription_id');
  if (request.resourceGroup === '') return missing('resource_group_name');
  if (request.scaleSetName !== '') return unsupported('vmss_name');
  if (request.vmName !== '') return 'passed';
  return request.resourceId !== '' ? unsupported('resource_id') : missing('vm_name');
}

/** When the token names the resource it comes from, that name can be read. */
export function tokenResourceIsReadable({ role, proven }: TokenFacts): Verdict {
  if (!hasResourceConstraints(role) || proven === undefined) return 'not needed';
  if (proven !== 'unreadable') return 'passed';
  return {
    sentence: 'the token names a resource that cannot be read',
    seen: 'an unreadable id',
    wanted: 'a resource id',
  };
}

/**
 * A token that names only a user-assigned identity proves nothing about the machine that asked for it: any machine the
 * identity is attached to could have.
 */
export function tokenProvesAMachine({ role, proven, claims }: TokenFacts): Verdict {
  if (!hasResourceConstraints(role) || proven !== undefined || claims.managedIdentityId === undefined)
    return 'not needed';
  return {
    sentence: 'the token is of a user-assigned identity and does not prove which machine it comes from',
    seen: claims.managedIdentityId,
    wanted: 'a token that names the machine, or one of its system-assigned identity',
  };
}

/** The token comes from the named virtual machine: its type and its whole name. */
export function tokenProvesVirtualMachine({ role, request, proven }: TokenFacts): Verdict {
  if (!isProven(proven) || !hasResourceConstraints(role)) return 'not needed';
  if (isOfType(proven, VIRTUAL_MACHINE) && sameName(ownName(proven), request.vmName)) return 'passed';
  return refuse('the token does not come from the virtual machine named by vm_name', proven, request.vmName);
}

/** The token comes from the named subscription. */
export function tokenProvesSubscription({ role, request, proven }: TokenFacts): Verdict {
  if (!isProven(proven) || !hasResourceConstraints(role)) return 'not needed';
  if (sameName(proven.subscriptionId, request.subscriptionId)) return 'passed';
  return refuse(
    'the token does not come from the subscription named by subscription_id',
    proven,
    request.subscriptionId,
  );
}

/** The token comes from the named resource group. */
export function tokenProvesResourceGroup({ role, request, proven }: TokenFacts): Verdict {
  if (!isProven(proven) || !hasResourceConstraints(role)) return 'not needed';
  if (sameName(proven.resourceGroup, request.resourceGroup)) return 'passed';
  return refuse(
    'the token does not come from the resource group named by resource_group_name',
    proven,
    request.resourceGroup,
  );
}

/** `bound_subscription_ids`. */
export function subscriptionIsBound({ role, request }: TokenFacts): Verdict {
  return isListed(role.subscriptionIds, request.subscriptionId, 'subscription', 'bound_subscription_ids');
}

/** `bound_resource_groups`. */
export function resourceGroupIsBound({ role, request }: TokenFacts): Verdict {
  return isListed(role.resourceGroups, request.resourceGroup, 'resource group', 'bound_resource_groups');
}

/** `bound_scale_sets`: only a login as a scale set can meet it. */
export function scaleSetIsBound({ role, request }: TokenFacts): Verdict {
  return isListed(role.scaleSets, request.scaleSetName, 'scale set', 'bound_scale_sets');
}

/** The resource that a token proves to come from: `xms_az_rid`, else `xms_mirid` unless that is a user-assigned identity. */
export function provenResource(
  claims: TokenFacts['claims'],
  parse: (id: string) => ResourceId | undefined,
): TokenFacts['proven'] {
  if (claims.resourceId !== undefined) return parse(claims.resourceId) ?? 'unreadable';
  if (claims.managedIdentityId === undefined) return undefined;
  const resource = parse(claims.managedIdentityId) ?? 'unreadable';
  return resource !== 'unreadable' && isOfType(resource, USER_ASSIGNED_IDENTITY) ? undefined : resource;
}

function isProven(proven: TokenFacts['proven']): proven is ResourceId {
  return proven !== undefined && proven !== 'unreadable';
}

function isListed(bound: ReadonlySet<string>, value: string, what: string, field: string): Verdict {
  if (bound.size === 0) return 'not needed';
  if (lists(bound, fold(value))) return 'passed';
  return { sentence: `the ${what} is not in ${field} of the role`, seen: value || 'none', wanted: list(bound) };
}

function refuse(sentence: string, proven: ResourceId, wanted: string): Verdict {
  return { sentence, seen: formatResourceId(proven), wanted };
}

function missing(field: 'subscription_id' | 'resource_group_name' | 'vm_name'): Verdict {
  return { sentence: `${field}: is required by the constraints of the role`, seen: 'nothing', wanted: field, field };
}

function unsupported(field: 'vmss_name' | 'resource_id'): Verdict {
  const sentence = `${field}: is not supported yet; the constraints of the role can be met with vm_name only`;
  return { sentence, seen: field, wanted: 'vm_name', field };
}
