import type { Bound, CloudFacts, RoleConstraints, SourceFacts, TokenFacts } from './facts.js';
import { fold } from './fold.js';
import type { Verdict } from './rule.js';

const ANY = '*';
const NO_BOUND_GROUP = { sentence: 'the principal is in no group of bound_group_ids of the role' };

/** `token_bound_cidrs`: the caller's address is in one of the blocks. An unknown address is in none. */
export function sourceAddressIsBound({ role, remoteAddress }: SourceFacts): Verdict {
  if (role.sourceAddresses === undefined) return 'not needed';
  if (remoteAddress !== undefined && role.sourceAddresses.contains(remoteAddress)) return 'passed';
  return { sentence: 'the source address is not in token_bound_cidrs of the role' };
}

/** A role whose only constraints are `*` or empty lets nobody in. */
export function roleIsConstrained({ role }: SourceFacts): Verdict {
  return isConstrained(role) ? 'passed' : { sentence: 'the role has no constraint, so nobody can log in with it' };
}

/** Whether at least one bound list restricts anything. */
export function isConstrained(role: RoleConstraints): boolean {
  return restricts(role.servicePrincipalIds) || restricts(role.groupIds) || hasResourceConstraints(role);
}

/** Whether the role asks where the login comes from, beyond who it is. */
export function hasResourceConstraints(role: RoleConstraints): boolean {
  const { subscriptionIds, resourceGroups, locations, scaleSets } = role;
  return subscriptionIds.size > 0 || resourceGroups.size > 0 || locations.size > 0 || scaleSets.size > 0;
}

/** `bound_service_principal_ids`: the token's `oid` is listed. A lone `*` means any. */
export function servicePrincipalIsBound({ role, claims }: TokenFacts): Verdict {
  if (!restricts(role.servicePrincipalIds)) return 'not needed';
  if (lists(role.servicePrincipalIds, fold(claims.objectId))) return 'passed';
  return { sentence: 'the service principal is not in bound_service_principal_ids of the role' };
}

/**
 * `bound_group_ids`: the token lists one of the groups. A lone `*` means any. A token that says that it has too many groups to list
 * leaves the question to the directory.
 */
export function groupIsBound({ role, claims }: TokenFacts): Verdict {
  if (!restricts(role.groupIds)) return 'not needed';
  if (claims.groups?.some((group) => lists(role.groupIds, fold(group)))) return 'passed';
  return claims.groupOverage ? 'not needed' : NO_BOUND_GROUP;
}

/** Whether the directory must say which of the bound groups the principal is in. */
export function needsDirectory(facts: TokenFacts): boolean {
  return restricts(facts.role.groupIds) && groupIsBound(facts) === 'not needed';
}

/** `bound_group_ids`, when the token left it to the directory. */
export function groupIsConfirmed(facts: CloudFacts): Verdict {
  if (!needsDirectory(facts)) return 'not needed';
  const { role, confirmedGroups = [] } = facts;
  return confirmedGroups.some((group) => lists(role.groupIds, fold(group))) ? 'passed' : NO_BOUND_GROUP;
}

/** Whether a bound list holds a folded value. An empty value is in no list, whatever storage says: it means "none". */
export function lists(bound: Bound, folded: string): boolean {
  return folded !== '' && bound.has(folded);
}

function restricts(bound: Bound): boolean {
  return bound.size > 1 || (bound.size === 1 && !bound.has(ANY));
}
