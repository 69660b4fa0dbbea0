import type { CloudFacts, TokenFacts } from './facts.js';
import { sameName } from './fold.js';
import { isOfType, ownName, parseResourceId, VIRTUAL_MACHINE } from './resource-id.js';
import type { ResourceId } from './resource-id.js';

/**
 * What a token's and an alias's metadata may say about where the login came from. Only what the token proves, or else the cloud
 * confirmed, and only in their spelling: policy templates read it. `vm_name` appears if the login named it.
 */
export function verifiedMetadata(facts: TokenFacts | CloudFacts): Record<string, string> {
  const resource = verifiedResource(facts);
  if (resource === undefined) return {};
  const { vmName } = facts.request;
  const isNamedMachine = isOfType(resource, VIRTUAL_MACHINE) && sameName(ownName(resource), vmName);
  return {
    subscription_id: resource.subscriptionId,
    resource_group_name: resource.resourceGroup,
    ...(isNamedMachine && { vm_name: ownName(resource) }),
  };
}

function verifiedResource(facts: TokenFacts | CloudFacts): ResourceId | undefined {
  if (facts.proven === 'unreadable') return undefined;
  if (facts.proven !== undefined) return facts.proven;
  return 'confirmed' in facts && facts.confirmed !== undefined ? parseResourceId(facts.confirmed.id) : undefined;
}
