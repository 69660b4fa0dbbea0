import { randomUUID } from 'node:crypto';
import { place } from './resources.js';
import type { Defaults, Placement, Principal, Resource } from './resources.js';

/** An identity that can be attached to many resources. */
export interface UserAssignedIdentity extends Resource, Principal {}

/** What to make a {@link UserAssignedIdentity} of. Ids that are left out are random. */
export interface UserAssignedIdentityOptions extends Placement, Partial<Principal> {}

/** Makes an identity; the caller registers it. */
export function createUserAssignedIdentity(
  options: UserAssignedIdentityOptions,
  defaults: Defaults,
): UserAssignedIdentity {
  const { name = 'identity', principalId = randomUUID(), clientId = randomUUID() } = options;
  return {
    ...place('Microsoft.ManagedIdentity/userAssignedIdentities', { ...options, name }, defaults),
    principalId,
    clientId,
    principalIds: [principalId],
    body: { tags: {}, properties: { tenantId: defaults.tenantId, principalId, clientId } },
  };
}
