import type {
  AddressBlocks,
  AttachedIdentity,
  ConfirmedResource,
  IdentityClaims,
  Orchestration,
} from '../contract/index.js';
import type { ResourceId } from './resource-id.js';

/** What the caller says. Untrusted; names have passed the cloud's naming rules. Empty = not given. */
export interface LoginRequest {
  readonly subscriptionId: string;
  readonly resourceGroup: string;
  readonly vmName: string;
  readonly scaleSetName: string;
  /** Parsed; absent = not given. */
  readonly resourceId?: ResourceId;
}

/** What a login says that it comes from. */
export type NamedResource =
  | {
      readonly kind: 'virtual machine' | 'scale set' | 'resource';
      readonly field: NamingField;
      readonly id: ResourceId;
    }
  /** Nothing is named: the login is of a workload with an identity of its own. */
  | { readonly kind: 'workload' };

/** Request fields that name a resource. */
export type NamingField = 'vmss_name' | 'vm_name' | 'resource_id';

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
  /** What the request says that it comes from. */
  readonly named: NamedResource;
  readonly claims: IdentityClaims;
  /** The resource that the token proves to come from; `unreadable` when it names one that cannot be parsed. */
  readonly proven: ResourceId | 'unreadable' | undefined;
}

/** Known once the cloud has answered. */
export interface CloudFacts extends TokenFacts {
  /** What the cloud says about the named resource, or about the identity of a workload; `undefined` when it knows none. */
  readonly confirmed: ConfirmedResource | undefined;
  /** How the named scale set keeps its machines. */
  readonly orchestration?: Orchestration;
  /** User-assigned identities attached to it, with their object ids as far as they could be read. */
  readonly attached: readonly AttachedIdentity[];
  /** Those of the bound groups that the directory says the principal is in; absent when it was not asked. */
  readonly confirmedGroups?: readonly string[];
}
