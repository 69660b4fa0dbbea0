import type { AddressBlocks, ConfirmedResource, IdentityClaims } from '../contract/index.js';
import type { ResourceId } from './resource-id.js';

/** What the caller says. Untrusted; names have passed the cloud's naming rules. Empty = not given. */
export interface LoginRequest {
  readonly subscriptionId: string;
  readonly resourceGroup: string;
  readonly vmName: string;
  readonly scaleSetName: string;
  readonly resourceId: string;
}

/** A list of a role that restricts logins: empty = no restriction. Values are folded for comparison. */
export type Bound = ReadonlySet<string>;

/** What a role demands of a login. */
export interface RoleConstraints {
  readonly servicePrincipalIds: Bound;
  readonly groupIds: Bound;
  readonly subscriptionIds: Bound;
  readonly resourceGroups: Bound;
  readonly locations: Bound;
  readonly scaleSets: Bound;
  /** Absent = any source address. */
  readonly sourceAddresses?: AddressBlocks;
}

/** Known before anything else. */
export interface SourceFacts {
  readonly role: RoleConstraints;
  /** Address of the caller, when the host knows it. */
  readonly remoteAddress: string | undefined;
}

/** Known once the token is verified. */
export interface TokenFacts extends SourceFacts {
  readonly request: LoginRequest;
  readonly claims: IdentityClaims;
  /** The resource that the token proves to come from; `unreadable` when it names one that cannot be parsed. */
  readonly proven: ResourceId | 'unreadable' | undefined;
}

/** Known once the cloud has answered. */
export interface CloudFacts extends TokenFacts {
  /** What the cloud says about the named resource; `undefined` when it knows none. */
  readonly confirmed: ConfirmedResource | undefined;
  /** Object ids of the user-assigned identities attached to it, as far as they could be read. */
  readonly userPrincipalIds: ReadonlySet<string>;
}
