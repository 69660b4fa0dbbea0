import type { AttachedIdentity, ConfirmedResource, IdentityClaims, ListedIdentity } from '../contract/index.js';
import { isNamedLikeInstance, isProven } from './binding-rules.js';
import type { CloudFacts, TokenFacts } from './facts.js';
import { foldLocation, sameName } from './fold.js';
import { isMachine, workloadPlaces } from './named-resource.js';
import { hasResourceConstraints, lists } from './principal-rules.js';
import { isOfType, ownName, parseResourceId, sameResource, USER_ASSIGNED_IDENTITY } from './resource-id.js';
import type { Verdict } from './rule.js';

/** The cloud knows the named resource, or an identity of the workload. */
export function resourceExists({ role, named, confirmed }: CloudFacts): Verdict {
  if (!hasResourceConstraints(role)) return 'not needed';
  if (confirmed !== undefined) return 'passed';
  return {
    sentence:
      named.kind === 'workload'
        ? 'no user-assigned identity in the bound resource groups belongs to the token'
        : `the cloud knows no such ${named.kind}`,
  };
}

/** What the cloud answered is about the resource that was asked for, in every segment of its id. */
export function cloudAnswersForTheResource({ role, request, named, confirmed }: CloudFacts): Verdict {
  if (!hasResourceConstraints(role) || confirmed === undefined) return 'not needed';
  const answered = parseResourceId(confirmed.id);
  const isAsked =
    answered !== undefined &&
    (named.kind === 'workload'
      ? isOfType(answered, USER_ASSIGNED_IDENTITY) &&
        workloadPlaces(role, request).some(
          ({ subscriptionId, resourceGroup }) =>
            sameName(subscriptionId, answered.subscriptionId) && sameName(resourceGroup, answered.resourceGroup),
        )
      : sameResource(answered, named.id));
  return isAsked ? 'passed' : { sentence: 'the cloud answered for another resource than the one named' };
}

/** A virtual machine counts as one of a scale set by its name only if that scale set keeps its machines so. */
export function orchestrationAgrees({ role, named, proven, confirmed, orchestration }: CloudFacts): Verdict {
  if (!hasResourceConstraints(role) || named.kind !== 'scale set' || confirmed === undefined) return 'not needed';
  if (!isProven(proven) || !isNamedLikeInstance(proven, ownName(named.id))) return 'not needed';
  if (orchestration === 'flexible') return 'passed';
  return { sentence: 'the token comes from a virtual machine, and the scale set has none of its own' };
}

/**
 * The token's principal is an identity of the resource. A machine whose token does not prove where it comes from counts only with
 * its system-assigned identity: no other machine can have that. Other resources send no better proof; for them an attached
 * identity serves, and the very one that the token names if it names one. A missing or empty principal id matches nothing.
 */
export function identityIsAttached(facts: CloudFacts): Verdict {
  const { role, claims, named, proven, confirmed } = facts;
  if (!hasResourceConstraints(role) || confirmed === undefined) return 'not needed';
  if (admissiblePrincipals(facts).some((principalId) => isPrincipal(principalId, claims))) return 'passed';
  if (proven === undefined && isMachine(named)) {
    return {
      sentence: `the token does not prove where it comes from, and is not of the system-assigned identity of the ${named.kind}`,
    };
  }
  const owner = named.kind === 'workload' ? 'bound resource groups' : named.kind;
  return { sentence: `the token is not of an identity of the ${owner}` };
}

/** Object ids of the identities of the resource that the token may be of, as far as they are known. */
export function admissiblePrincipals(facts: CloudFacts): readonly string[] {
  const { confirmed, attached } = facts;
  const principals = admissibleUsers(attached, facts).map(({ principalId }) => principalId);
  return [confirmed?.systemPrincipalId, ...principals].filter((id): id is string => id !== undefined && id !== '');
}

/** `bound_locations`: ignoring case and blanks. */
export function locationIsBound({ role, confirmed }: CloudFacts): Verdict {
  if (role.locations.size === 0) return 'not needed';
  if (confirmed !== undefined && lists(role.locations, foldLocation(confirmed.location))) return 'passed';
  return { sentence: 'the location is not in bound_locations of the role' };
}

/**
 * User-assigned identities whose object id the cloud left out and that may decide the login: none when it is decided without them.
 */
export function identitiesToResolve(confirmed: ConfirmedResource, facts: TokenFacts): readonly AttachedIdentity[] {
  const users = admissibleUsers(confirmed.userAssigned, facts);
  const principals = [confirmed.systemPrincipalId, ...users.map(({ principalId }) => principalId)];
  if (principals.some((principalId) => isPrincipal(principalId, facts.claims))) return [];
  return users.filter(({ principalId }) => principalId === undefined);
}

/** The identity of a workload among those listed: by its client id and its object id. */
export function workloadIdentity(
  identities: readonly ListedIdentity[],
  claims: IdentityClaims,
): ConfirmedResource | undefined {
  const found = identities.find(
    ({ clientId, principalId }) =>
      clientId !== undefined &&
      clientId !== '' &&
      sameName(clientId, claims.applicationId ?? '') &&
      isPrincipal(principalId, claims),
  );
  if (found?.principalId === undefined) return undefined;
  const { id, location, principalId } = found;
  return { id, location, userAssigned: [{ id, principalId }] };
}

/**
 * A token that does not prove the machine is of none of its user-assigned identities. One that proves no resource but names an
 * identity is of that identity and of no other.
 */
function admissibleUsers(
  identities: readonly AttachedIdentity[],
  { claims, named, proven }: TokenFacts,
): readonly AttachedIdentity[] {
  if (proven !== undefined) return identities;
  if (isMachine(named)) return [];
  const { managedIdentityId } = claims;
  return managedIdentityId === undefined ? identities : identities.filter(({ id }) => sameName(id, managedIdentityId));
}

function isPrincipal(principalId: string | undefined, { objectId }: IdentityClaims): boolean {
  return principalId !== undefined && principalId !== '' && sameName(principalId, objectId);
}
