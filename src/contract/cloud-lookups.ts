import type { CloudConfiguration } from './configuration.js';

/** Names one resource in a subscription and group. Validated against the cloud's naming rules before it gets here. */
export interface ResourceReference {
  readonly subscriptionId: string;
  readonly resourceGroup: string;
  readonly name: string;
}

/** A user-assigned identity attached to a resource. */
export interface AttachedIdentity {
  /** Resource id as the cloud spells it. */
  readonly id: string;
  /** Object id in the directory. Absent where the cloud leaves it out: then {@link CloudLookups.userAssignedIdentity} has it. */
  readonly principalId?: string;
}

/** What the cloud says about a resource. */
export interface ConfirmedResource {
  /** Resource id as the cloud spells it. */
  readonly id: string;
  /** Region, for instance `westeurope`. */
  readonly location: string;
  /** Object id of the system-assigned identity, when there is one. Never empty. */
  readonly systemPrincipalId?: string;
  readonly userAssigned: readonly AttachedIdentity[];
}

/** How a scale set keeps its machines: as instances below it, or as virtual machines of their own. */
export type Orchestration = 'uniform' | 'flexible';

/** What the cloud says about a scale set. */
export interface ConfirmedScaleSet extends ConfirmedResource {
  readonly orchestration: Orchestration;
}

/** A user-assigned identity as a list of its resource group shows it. */
export interface ListedIdentity {
  /** Resource id as the cloud spells it. */
  readonly id: string;
  readonly location: string;
  readonly clientId?: string;
  readonly principalId?: string;
}

/** A resource group in a subscription. Validated like a {@link ResourceReference}. */
export type ResourceGroupReference = Pick<ResourceReference, 'subscriptionId' | 'resourceGroup'>;

/** Any resource: provider namespace with the types of the chain, and one name for each type. Validated before it gets here. */
export interface TypedResourceReference extends ResourceGroupReference {
  /** For instance `Microsoft.Web/sites/slots`. */
  readonly type: string;
  readonly names: readonly string[];
}

/**
 * Read-only questions to the cloud's resource manager and, for groups, to its directory (spec 1.7).
 *
 * Every method resolves to `undefined` when the cloud answers that there is no such thing, and rejects with
 * `provider_unavailable` when it does not answer before `signal` aborts, with `not_configured` when the configuration has no
 * credentials or the cloud refuses them. No rejection holds provider text.
 */
export interface CloudLookups {
  virtualMachine(
    machine: ResourceReference,
    configuration: CloudConfiguration,
    signal: AbortSignal,
  ): Promise<ConfirmedResource | undefined>;

  /** Resolves to the identity's object id. */
  userAssignedIdentity(
    identity: ResourceReference,
    configuration: CloudConfiguration,
    signal: AbortSignal,
  ): Promise<string | undefined>;

  scaleSet(
    scaleSet: ResourceReference,
    configuration: CloudConfiguration,
    signal: AbortSignal,
  ): Promise<ConfirmedScaleSet | undefined>;

  /** Any resource that can have identities. A type that the cloud does not know counts as "no such thing". */
  resource(
    resource: TypedResourceReference,
    configuration: CloudConfiguration,
    signal: AbortSignal,
  ): Promise<ConfirmedResource | undefined>;

  /** All user-assigned identities of a resource group, over all pages. */
  userAssignedIdentities(
    group: ResourceGroupReference,
    configuration: CloudConfiguration,
    signal: AbortSignal,
  ): Promise<readonly ListedIdentity[] | undefined>;

  /**
   * Which of the groups a principal is in, directly or through other groups; an empty array when in none. Asks the directory.
   *
   * @param objectId - object id of the principal
   * @param groupIds - object ids of groups
   */
  memberGroups(
    objectId: string,
    groupIds: readonly string[],
    configuration: CloudConfiguration,
    signal: AbortSignal,
  ): Promise<readonly string[]>;

  /** Ends what it holds. The transport belongs to whoever made it. */
  close(): Promise<void>;
}
