import type { IdentityClaims } from '../contract/index.js';
import type { TokenFacts } from './facts.js';
import { fold, sameName } from './fold.js';
import { isMachine, workloadPlaces } from './named-resource.js';
import { hasResourceConstraints, lists } from './principal-rules.js';
import {
  isOfType,
  ownName,
  sameResource,
  SCALE_SET,
  SCALE_SET_INSTANCE,
  USER_ASSIGNED_IDENTITY,
  VIRTUAL_MACHINE,
} from './resource-id.js';
import type { ResourceId } from './resource-id.js';
import type { Verdict } from './rule.js';

/** Resource groups that are searched for the identity of one workload at most. */
export const MAX_PLACES = 50;

/**
 * Resource constraints need `subscription_id`, `resource_group_name` and a resource. A workload names none; for it, what the
 * role binds stands in for what is not given.
 */
export function resourceIsNamed({ role, request, named }: TokenFacts): Verdict {
  if (!hasResourceConstraints(role)) return 'not needed';
  const isWorkload = named.kind === 'workload';
  if (request.subscriptionId === '' && !(isWorkload && role.subscriptionIds.size > 0))
    return missing('subscription_id');
  if (request.resourceGroup === '' && !(isWorkload && role.resourceGroups.size > 0))
    return missing('resource_group_name');
  if (!isWorkload || workloadPlaces(role, request).length <= MAX_PLACES) return 'passed';
  const isSubscriptionWanted =
    request.resourceGroup !== '' ||
    (request.subscriptionId === '' && role.subscriptionIds.size > role.resourceGroups.size);
  const field = isSubscriptionWanted ? 'subscription_id' : 'resource_group_name';
  return missing(field, `because the role binds more than ${MAX_PLACES} resource groups`);
}

/** `resource_id` lies in the subscription and resource group that the request names beside it. */
export function resourceIdAgrees({ role, request, named }: TokenFacts): Verdict {
  if (!hasResourceConstraints(role) || named.kind !== 'resource') return 'not needed';
  const { subscriptionId, resourceGroup } = named.id;
  if (sameName(subscriptionId, request.subscriptionId) && sameName(resourceGroup, request.resourceGroup))
    return 'passed';
  return { sentence: 'resource_id is not in the subscription and resource group that the request names' };
}

/** When the token names the resource it comes from, that name can be read. */
export function tokenResourceIsReadable({ role, proven }: TokenFacts): Verdict {
  if (!hasResourceConstraints(role) || proven === undefined) return 'not needed';
  return proven === 'unreadable' ? { sentence: 'the token names a resource that cannot be read' } : 'passed';
}

/**
 * A token that names only a user-assigned identity proves nothing about the machine that asked for it: any machine the
 * identity is attached to could have.
 */
export function tokenProvesAMachine({ role, proven, claims, named }: TokenFacts): Verdict {
  if (!hasResourceConstraints(role) || !isMachine(named)) return 'not needed';
  if (proven !== undefined || claims.managedIdentityId === undefined) return 'not needed';
  return { sentence: 'the token is of a user-assigned identity and does not prove which machine it comes from' };
}

/** The token comes from the named resource: its type and its whole name. */
export function tokenProvesResource({ role, named, proven }: TokenFacts): Verdict {
  if (!isProven(proven) || !hasResourceConstraints(role) || named.kind === 'workload') return 'not needed';
  const isNamed =
    named.kind === 'scale set' ? isOfScaleSet(proven, ownName(named.id)) : sameTypeAndNames(proven, named.id);
  return isNamed ? 'passed' : { sentence: `the token does not come from the ${named.kind} named by ${named.field}` };
}

/** The token comes from the named subscription. */
export function tokenProvesSubscription({ role, request, named, proven }: TokenFacts): Verdict {
  if (!isProven(proven) || !hasResourceConstraints(role) || named.kind === 'workload') return 'not needed';
  if (sameName(proven.subscriptionId, request.subscriptionId)) return 'passed';
  return { sentence: 'the token does not come from the subscription named by subscription_id' };
}

/** The token comes from the named resource group. */
export function tokenProvesResourceGroup({ role, request, named, proven }: TokenFacts): Verdict {
  if (!isProven(proven) || !hasResourceConstraints(role) || named.kind === 'workload') return 'not needed';
  if (sameName(proven.resourceGroup, request.resourceGroup)) return 'passed';
  return { sentence: 'the token does not come from the resource group named by resource_group_name' };
}

/** The token of a workload names its application: the client id that its identity is found by. */
export function tokenNamesApplication({ role, named, claims }: TokenFacts): Verdict {
  if (!hasResourceConstraints(role) || named.kind !== 'workload') return 'not needed';
  if (claims.applicationId) return 'passed';
  return { sentence: 'the token names no application, so the identity of the workload cannot be found' };
}

/** `bound_subscription_ids`. Where a workload names none, those bound are searched. */
export function subscriptionIsBound({ role, request, named }: TokenFacts): Verdict {
  if (named.kind === 'workload' && request.subscriptionId === '') return 'not needed';
  return isListed(role.subscriptionIds, request.subscriptionId, 'subscription', 'bound_subscription_ids');
}

/** `bound_resource_groups`. Where a workload names none, those bound are searched. */
export function resourceGroupIsBound({ role, request, named }: TokenFacts): Verdict {
  if (named.kind === 'workload' && request.resourceGroup === '') return 'not needed';
  return isListed(role.resourceGroups, request.resourceGroup, 'resource group', 'bound_resource_groups');
}

/** `bound_scale_sets`: only a login as a scale set can meet it. */
export function scaleSetIsBound({ role, request }: TokenFacts): Verdict {
  return isListed(role.scaleSets, request.scaleSetName, 'scale set', 'bound_scale_sets');
}

/** The resource that a token proves to come from: `xms_az_rid`, else `xms_mirid` unless that is a user-assigned identity. */
export function provenResource(
  claims: IdentityClaims,
  parse: (id: string) => ResourceId | undefined,
): TokenFacts['proven'] {
  if (claims.resourceId !== undefined) return parse(claims.resourceId) ?? 'unreadable';
  if (claims.managedIdentityId === undefined) return undefined;
  const resource = parse(claims.managedIdentityId) ?? 'unreadable';
  return resource !== 'unreadable' && isOfType(resource, USER_ASSIGNED_IDENTITY) ? undefined : resource;
}

/** Whether a proven resource is a virtual machine named like one of a flexible scale set: `<scale set>_<letters and digits>`. */
export function isNamedLikeInstance(proven: ResourceId, scaleSetName: string): boolean {
  if (!isOfType(proven, VIRTUAL_MACHINE)) return false;
  const name = ownName(proven);
  const suffix = name.slice(scaleSetName.length);
  return sameName(name.slice(0, scaleSetName.length), scaleSetName) && /^_[0-9a-z]+$/i.test(suffix);
}

/** Narrows a proven resource to one that could be read. */
export function isProven(proven: TokenFacts['proven']): proven is ResourceId {
  return proven !== undefined && proven !== 'unreadable';
}

function isOfScaleSet(proven: ResourceId, scaleSetName: string): boolean {
  if (isOfType(proven, SCALE_SET) || isOfType(proven, SCALE_SET_INSTANCE)) {
    return sameName(proven.names[0] ?? '', scaleSetName);
  }
  return isNamedLikeInstance(proven, scaleSetName);
}

function sameTypeAndNames(left: ResourceId, right: ResourceId): boolean {
  const { subscriptionId, resourceGroup } = left;
  return sameResource(left, { ...right, subscriptionId, resourceGroup });
}

function isListed(bound: ReadonlySet<string>, value: string, what: string, field: string): Verdict {
  if (bound.size === 0) return 'not needed';
  if (lists(bound, fold(value))) return 'passed';
  return { sentence: `the ${what} is not in ${field} of the role` };
}

function missing(field: 'subscription_id' | 'resource_group_name', why = 'by the constraints of the role'): Verdict {
  return { sentence: `${field}: is required ${why}`, field };
}
