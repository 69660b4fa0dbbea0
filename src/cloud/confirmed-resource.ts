import type { AttachedIdentity, ConfirmedResource } from '../contract/index.js';
import { isRecord, isText } from './records.js';

/**
 * Reads what every kind of resource says about itself. The SDKs promise more than they check.
 *
 * @throws When id, location or the shape of the identities is not what it should be.
 */
export function confirmedResource(answer: unknown): ConfirmedResource {
  if (!isRecord(answer) || !isText(answer['id']) || !isText(answer['location'])) {
    throw new Error('a resource without id or location');
  }
  const { id, location } = answer;
  const identity = answer['identity'] ?? {};
  if (!isRecord(identity)) throw new Error('an identity that is no object');
  const { principalId } = identity;
  return {
    id,
    location,
    ...(isText(principalId) ? { systemPrincipalId: principalId } : {}),
    userAssigned: attachedIdentities(identity['userAssignedIdentities'] ?? {}),
  };
}

function attachedIdentities(identities: unknown): AttachedIdentity[] {
  if (!isRecord(identities)) throw new Error('user-assigned identities that are no object');
  return Object.entries(identities)
    .filter(([id]) => id !== '')
    .map(([id, identity]) => {
      const principalId = isRecord(identity) ? identity['principalId'] : undefined;
      return isText(principalId) ? { id, principalId } : { id };
    });
}
