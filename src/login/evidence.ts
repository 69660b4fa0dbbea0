import type { CloudConfiguration, IdentityClaims } from '../contract/index.js';
import { isProven, MAX_PLACES } from './binding-rules.js';
import { admissiblePrincipals } from './cloud-rules.js';
import type { Bound, CloudFacts, NamedResource, SourceFacts, TokenFacts } from './facts.js';
import { fold } from './fold.js';
import { isConstrained, lists } from './principal-rules.js';
import { formatResourceId } from './resource-id.js';
import type { ResourceId } from './resource-id.js';
import type { Evidence } from './rule.js';

// What each rule held against each other: the counterpart of the checks, for operators.

/** Of `source-address-bound`. */
export function sourceAddress({ remoteAddress }: SourceFacts): Evidence {
  return { seen: remoteAddress ?? 'no known address', wanted: 'an address in token_bound_cidrs' };
}

/** Of `role-constrained`: names of lists. */
export function constraints({ role }: SourceFacts): Evidence {
  const bound: Readonly<Record<string, Bound>> = {
    bound_service_principal_ids: role.servicePrincipalIds,
    bound_group_ids: role.groupIds,
    bound_subscription_ids: role.subscriptionIds,
    bound_resource_groups: role.resourceGroups,
    bound_locations: role.locations,
    bound_scale_sets: role.scaleSets,
  };
  const given = Object.keys(bound).filter((name) => bound[name]?.size);
  return {
    seen: isConstrained(role) ? given.join(', ') : 'only empty lists and "*"',
    wanted: 'at least one bound_* list with a value',
  };
}

/** Of `service-principal-bound`. */
export function servicePrincipal({ role, claims }: TokenFacts): Evidence {
  return { seen: claims.objectId, wanted: list(role.servicePrincipalIds) };
}

/** Of `group-bound`. */
export function groups({ role, claims }: TokenFacts): Evidence {
  return groupsAgainst(role.groupIds, claims.groups);
}

/** Of `resource-named`: names of request fields. */
export function givenFields({ request, named }: TokenFacts): Evidence {
  const given = [
    ...(request.subscriptionId === '' ? [] : ['subscription_id']),
    ...(request.resourceGroup === '' ? [] : ['resource_group_name']),
    ...(named.kind === 'workload' ? [] : [named.field]),
  ];
  const needed = 'subscription_id and resource_group_name';
  return {
    seen: given.join(', '),
    wanted: named.kind === 'workload' ? `${needed}, or a role that binds at most ${MAX_PLACES} groups` : needed,
  };
}

/** Of `resource-id-agrees`. */
export function resourceIdPlace({ request, named }: TokenFacts): Evidence {
  return { seen: nameOf(named), wanted: `${request.subscriptionId}, ${request.resourceGroup}` };
}

/** Of `token-resource-readable`. */
export function tokenResource({ claims }: TokenFacts): Evidence {
  return { seen: claims.resourceId ?? claims.managedIdentityId ?? '', wanted: 'a resource id' };
}

/** Of `token-proves-a-machine`. */
export function tokenIdentity({ claims }: TokenFacts): Evidence {
  return {
    seen: claims.managedIdentityId ?? '',
    wanted: 'a token that names the machine, or one of its system-assigned identity',
  };
}

/** Of `token-proves-resource`. */
export function provenResource({ named, proven }: TokenFacts): Evidence {
  return { seen: proof(proven, formatResourceId), wanted: nameOf(named) };
}

/** Of `token-proves-subscription`. */
export function provenSubscription({ request, proven }: TokenFacts): Evidence {
  return { seen: proof(proven, ({ subscriptionId }) => subscriptionId), wanted: request.subscriptionId };
}

/** Of `token-proves-resource-group`. */
export function provenResourceGroup({ request, proven }: TokenFacts): Evidence {
  return { seen: proof(proven, (resource) => resource.resourceGroup), wanted: request.resourceGroup };
}

/** Of `token-names-application`. */
export function application({ claims }: TokenFacts): Evidence {
  return { seen: claims.applicationId || 'neither appid nor azp', wanted: 'appid or azp' };
}

/** Of `subscription-bound`. */
export function subscription({ role, request }: TokenFacts): Evidence {
  return { seen: request.subscriptionId, wanted: list(role.subscriptionIds) };
}

/** Of `resource-group-bound`. */
export function resourceGroup({ role, request }: TokenFacts): Evidence {
  return { seen: request.resourceGroup, wanted: list(role.resourceGroups) };
}

/** Of `scale-set-bound`. */
export function scaleSet({ role, request }: TokenFacts): Evidence {
  return { seen: request.scaleSetName, wanted: list(role.scaleSets) };
}

/** Of `group-confirmed`. */
export function confirmedGroups({ role, confirmedGroups: confirmed }: CloudFacts): Evidence {
  return groupsAgainst(role.groupIds, confirmed);
}

/** Of `resource-exists`. */
export function knownResource({ named, claims, confirmed }: CloudFacts): Evidence {
  const wanted =
    named.kind === 'workload' ? `an identity with the client id ${claims.applicationId ?? ''}` : nameOf(named);
  return { seen: confirmed?.id ?? '', wanted };
}

/** Of `cloud-answers-for-the-resource`. */
export function answeredResource({ named, confirmed }: CloudFacts): Evidence {
  const wanted = named.kind === 'workload' ? 'a user-assigned identity in a bound resource group' : nameOf(named);
  return { seen: confirmed?.id ?? '', wanted };
}

/** Of `orchestration-agrees`. */
export function orchestration(facts: CloudFacts): Evidence {
  return { seen: facts.orchestration ?? 'unknown', wanted: 'flexible, as the token comes from a virtual machine' };
}

/** Of `identity-attached`: object ids. */
export function principal(facts: CloudFacts): Evidence {
  return { seen: facts.claims.objectId, wanted: admissiblePrincipals(facts).join(', ') };
}

/** Of `location-bound`. */
export function location({ role, confirmed }: CloudFacts): Evidence {
  return { seen: confirmed?.location ?? '', wanted: list(role.locations) };
}

/** Of the token validator's rules, by their names: what is left of a verified token's claims. */
export function verifiedToken(
  { objectId, applicationId, groups: listed, resourceId, managedIdentityId, expiresAt }: IdentityClaims,
  { resource, tenantId }: CloudConfiguration,
): ReadonlyMap<string, Partial<Evidence>> {
  const ids = [resourceId, managedIdentityId].filter((id) => id !== undefined);
  return new Map<string, Partial<Evidence>>([
    ['token-tenant', { wanted: tenantId }],
    ['token-audience', { wanted: resource }],
    ['token-expiry', { seen: new Date(expiresAt * 1000).toISOString() }],
    ['token-principal', { seen: objectId }],
    ['token-application', { seen: applicationId ?? '' }],
    ['token-groups', { seen: listed?.join(', ') ?? '' }],
    ['token-resource', { seen: ids.join(', ') }],
  ]);
}

/** Those of the groups that are bound; all when none is. */
function groupsAgainst(bound: Bound, named: readonly string[] = []): Evidence {
  const matching = named.filter((group) => lists(bound, fold(group)));
  return { seen: (matching.length > 0 ? matching : named).join(', '), wanted: list(bound) };
}

function proof(proven: TokenFacts['proven'], part: (resource: ResourceId) => string): string {
  return isProven(proven) ? part(proven) : '';
}

function nameOf(named: NamedResource): string {
  return named.kind === 'workload' ? '' : formatResourceId(named.id);
}

function list(bound: Bound): string {
  return [...bound].join(', ');
}
