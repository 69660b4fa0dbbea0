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
import * as evidence from './evidence.js';
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
  { name: 'source-address-bound', check: sourceAddressIsBound, show: evidence.sourceAddress },
  { name: 'role-constrained', check: roleIsConstrained, show: evidence.constraints },
];

/** Rules over a verified token, in order; the token validator's own rules come before them. Nothing outside is called. */
export const TOKEN_RULES: readonly LoginRule<TokenFacts>[] = [
  { name: 'service-principal-bound', check: servicePrincipalIsBound, show: evidence.servicePrincipal },
  { name: 'group-bound', check: groupIsBound, show: evidence.groups },
  { name: 'resource-named', check: resourceIsNamed, show: evidence.givenFields },
  { name: 'resource-id-agrees', check: resourceIdAgrees, show: evidence.resourceIdPlace },
  { name: 'token-resource-readable', check: tokenResourceIsReadable, show: evidence.tokenResource },
  { name: 'token-proves-a-machine', check: tokenProvesAMachine, show: evidence.tokenIdentity },
  { name: 'token-proves-resource', check: tokenProvesResource, show: evidence.provenResource },
  { name: 'token-proves-subscription', check: tokenProvesSubscription, show: evidence.provenSubscription },
  { name: 'token-proves-resource-group', check: tokenProvesResourceGroup, show: evidence.provenResourceGroup },
  { name: 'token-names-application', check: tokenNamesApplication, show: evidence.application },
  { name: 'subscription-bound', check: subscriptionIsBound, show: evidence.subscription },
  { name: 'resource-group-bound', check: resourceGroupIsBound, show: evidence.resourceGroup },
  { name: 'scale-set-bound', check: scaleSetIsBound, show: evidence.scaleSet },
];

/** Rules over what the cloud confirmed, in order. */
export const CLOUD_RULES: readonly LoginRule<CloudFacts>[] = [
  { name: 'group-confirmed', check: groupIsConfirmed, show: evidence.confirmedGroups },
  { name: 'resource-exists', check: resourceExists, show: evidence.knownResource },
  { name: 'cloud-answers-for-the-resource', check: cloudAnswersForTheResource, show: evidence.answeredResource },
  { name: 'orchestration-agrees', check: orchestrationAgrees, show: evidence.orchestration },
  { name: 'identity-attached', check: identityIsAttached, show: evidence.principal },
  { name: 'location-bound', check: locationIsBound, show: evidence.location },
];
