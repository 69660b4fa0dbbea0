import {
  resourceGroupIsBound,
  resourceIdAgrees,
  resourceIsNamed,
  scaleSetIsBound,
  subscriptionIsBound,
  tokenNamesApplication,
  tokenProvesAMachine,
  tokenProvesResource,
  tokenProvesResourceGroup,
  tokenProvesSubscription,
  tokenResourceIsReadable,
} from './binding-rules.js';
import {
  cloudAnswersForTheResource,
  identityIsAttached,
  locationIsBound,
  orchestrationAgrees,
  resourceExists,
} from './cloud-rules.js';
import type { CloudFacts, SourceFacts, TokenFacts } from './facts.js';
import {
  groupIsBound,
  groupIsConfirmed,
  roleIsConstrained,
  servicePrincipalIsBound,
  sourceAddressIsBound,
} from './principal-rules.js';
import type { LoginRule } from './rule.js';

/** Rules that need no token, in order. */
export const SOURCE_RULES: readonly LoginRule<SourceFacts>[] = [
  { name: 'source-address-bound', check: sourceAddressIsBound },
  { name: 'role-constrained', check: roleIsConstrained },
];

/** Rules over a verified token, in order; the token validator's own rules come before them. Nothing outside is called. */
export const TOKEN_RULES: readonly LoginRule<TokenFacts>[] = [
  { name: 'service-principal-bound', check: servicePrincipalIsBound },
  { name: 'group-bound', check: groupIsBound },
  { name: 'resource-named', check: resourceIsNamed },
  { name: 'resource-id-agrees', check: resourceIdAgrees },
  { name: 'token-resource-readable', check: tokenResourceIsReadable },
  { name: 'token-proves-a-machine', check: tokenProvesAMachine },
  { name: 'token-proves-resource', check: tokenProvesResource },
  { name: 'token-proves-subscription', check: tokenProvesSubscription },
  { name: 'token-proves-resource-group', check: tokenProvesResourceGroup },
  { name: 'token-names-application', check: tokenNamesApplication },
  { name: 'subscription-bound', check: subscriptionIsBound },
  { name: 'resource-group-bound', check: resourceGroupIsBound },
  { name: 'scale-set-bound', check: scaleSetIsBound },
];

/** Rules over what the cloud confirmed, in order. */
export const CLOUD_RULES: readonly LoginRule<CloudFacts>[] = [
  { name: 'group-confirmed', check: groupIsConfirmed },
  { name: 'resource-exists', check: resourceExists },
  { name: 'cloud-answers-for-the-resource', check: cloudAnswersForTheResource },
  { name: 'orchestration-agrees', check: orchestrationAgrees },
  { name: 'identity-attached', check: identityIsAttached },
  { name: 'location-bound', check: locationIsBound },
];
