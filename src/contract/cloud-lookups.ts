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

/**
 * Read-only questions to the cloud's resource manager (spec 1.7).
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

  /** Ends what it holds. The transport belongs to whoever made it. */
  close(): Promise<void>;
}
