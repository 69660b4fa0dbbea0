import type { ResourceReference } from '../contract/index.js';
import { isText } from './records.js';
import type { Session } from './session.js';

/** Reads the object id of a user-assigned identity (spec 1.7). */
export async function readUserAssignedIdentity(
  session: Session,
  identity: ResourceReference,
  signal: AbortSignal,
): Promise<string> {
  const client = await session.identities(identity.subscriptionId);
  const { resourceGroup, name } = identity;
  const { principalId } = await client.userAssignedIdentities.get(resourceGroup, name, { abortSignal: signal });
  if (!isText(principalId)) throw new Error('an identity without an object id');
  return principalId;
}
