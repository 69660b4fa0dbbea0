import { isProven } from './binding-rules.js';
import type { CloudFacts, NamedResource, TokenFacts } from './facts.js';
import { sameName } from './fold.js';
import {
  formatResourceId,
  isOfType,
  ownName,
  parseResourceId,
  sameResource,
  SCALE_SET,
  SCALE_SET_INSTANCE,
} from './resource-id.js';
import type { ResourceId } from './resource-id.js';

/**
 * What a token's and an alias's metadata may say about where the login came from. Only what the token proves or the cloud confirmed,
 * and only in their spelling: policy templates read it. The name appears under the field that the login gave it in.
 */
export function verifiedMetadata(facts: TokenFacts | CloudFacts): Record<string, string> {
  const { named, proven } = facts;
  const confirmed = 'confirmed' in facts && facts.confirmed ? parseResourceId(facts.confirmed.id) : undefined;
  const proof = isProven(proven) ? proven : undefined;
  // A machine of a scale set, and a workload on a machine, prove where they run; the login is of the scale set or the identity.
  const isProofOfAnother = named.kind === 'scale set' || named.kind === 'workload';
  const verified = isProofOfAnother ? (confirmed ?? proof) : (proof ?? confirmed);
  if (verified === undefined) return {};
  return {
    subscription_id: verified.subscriptionId,
    resource_group_name: verified.resourceGroup,
    ...verifiedName(named, verified),
  };
}

function verifiedName(named: NamedResource, verified: ResourceId): Record<string, string> {
  switch (named.kind) {
    case 'workload':
      return {};
    case 'resource':
      return sameResource(named.id, verified) ? { resource_id: formatResourceId(verified) } : {};
    case 'scale set': {
      const isScaleSet = isOfType(verified, SCALE_SET) || isOfType(verified, SCALE_SET_INSTANCE);
      const [name = ''] = verified.names;
      return isScaleSet && sameName(name, ownName(named.id)) ? { vmss_name: name } : {};
    }
    case 'virtual machine':
      return isOfType(verified, named.id.type) && sameName(ownName(verified), ownName(named.id))
        ? { vm_name: ownName(verified) }
        : {};
  }
}
