import type { AttachedIdentity, ConfirmedResource, IdentityClaims } from '../contract/index.js';
import type { CloudFacts, LoginRequest, TokenFacts } from './facts.js';
import { foldLocation, sameName } from './fold.js';
import { hasResourceConstraints, list, lists } from './principal-rules.js';
import { parseResourceId, sameResource, VIRTUAL_MACHINE } from './resource-id.js';
import type { ResourceId } from './resource-id.js';
import type { Verdict } from './rule.js';

/** The cloud knows the named resource. */
export function resourceExists({ role, request, confirmed }: CloudFacts): Verdict {
  if (!hasResourceConstraints(role)) return 'not needed';
  if (confirmed !== undefined) return 'passed';
  return { sentence: 'the cloud knows no such virtual machine', seen: 'none', wanted: request.vmName };
}

/** What the cloud answered is about the resource that was asked for, in every segment of its id. */
export function cloudAnswersForTheResource({ role, request, confirmed }: CloudFacts): Verdict {
  if (!hasResourceConstraints(role) || confirmed === undefined) return 'not needed';
  const answered = parseResourceId(confirmed.id);
  if (answered !== undefined && sameResource(answered, namedVirtualMachine(request))) return 'passed';
  return {
    sentence: 'the cloud answered for another resource than the one named',
    seen: confirmed.id,
    wanted: request.vmName,
  };
}

/**
 * The token's principal is an identity of the resource. Without proof in the token of where it comes from, only the system-assigned
 * identity counts: no other resource can have it. A missing or empty principal id matches nothing.
 */
export function identityIsAttached({ role, claims, proven, confirmed, userPrincipalIds }: CloudFacts): Verdict {
  if (!hasResourceConstraints(role) || confirmed === undefined) return 'not needed';
  if (isPrincipal(confirmed.systemPrincipalId, claims)) return 'passed';
  const wanted = 'an identity of the virtual machine';
  if (proven === undefined) {
    const sentence =
      'the token does not prove where it comes from, and is not of the system-assigned identity of the virtual machine';
    return { sentence, seen: claims.objectId, wanted: 'its system-assigned identity' };
  }
  if ([...userPrincipalIds].some((principalId) => isPrincipal(principalId, claims))) return 'passed';
  return { sentence: 'the token is not of an identity of the virtual machine', seen: claims.objectId, wanted };
}

/** `bound_locations`: ignoring case and blanks. */
export function locationIsBound({ role, confirmed }: CloudFacts): Verdict {
  if (role.locations.size === 0) return 'not needed';
  if (confirmed !== undefined && lists(role.locations, foldLocation(confirmed.location))) return 'passed';
  return {
    sentence: 'the location is not in bound_locations of the role',
    seen: confirmed?.location ?? 'none',
    wanted: list(role.locations),
  };
}

/**
 * User-assigned identities whose object id the cloud left out and that may decide the login: none when it is decided without them.
 */
export function identitiesToResolve(
  confirmed: ConfirmedResource,
  { claims, proven }: TokenFacts,
): readonly AttachedIdentity[] {
  const principals = [confirmed.systemPrincipalId, ...confirmed.userAssigned.map(({ principalId }) => principalId)];
  if (proven === undefined || principals.some((principalId) => isPrincipal(principalId, claims))) return [];
  return confirmed.userAssigned.filter(({ principalId }) => principalId === undefined);
}

/** Id of the virtual machine that a request names. */
export function namedVirtualMachine(request: LoginRequest): ResourceId {
  const { subscriptionId, resourceGroup, vmName } = request;
  return { subscriptionId, resourceGroup, type: VIRTUAL_MACHINE, names: [vmName] };
}

function isPrincipal(principalId: string | undefined, { objectId }: IdentityClaims): boolean {
  return principalId !== undefined && principalId !== '' && sameName(principalId, objectId);
}
