import type { IdentityClaims } from '../contract/index.js';
import { provenResource } from './binding-rules.js';
import type { LoginRequest, SourceFacts, TokenFacts } from './facts.js';
import { namedResource } from './named-resource.js';
import { parseResourceId } from './resource-id.js';

/** What is known of a login once its token is verified. */
export function tokenFacts(source: SourceFacts, request: LoginRequest, claims: IdentityClaims): TokenFacts {
  const { role, remoteAddress } = source;
  const proven = provenResource(claims, parseResourceId);
  return { role, remoteAddress, request, named: namedResource(request), claims, proven };
}
