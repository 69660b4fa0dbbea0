import { randomUUID } from 'node:crypto';
import type { Principal, Resource } from './resources.js';
import type { UserAssignedIdentity } from './user-assigned-identities.js';

/** The identities of a resource. */
export interface Identities {
  readonly systemAssigned: Principal | undefined;
  readonly userAssigned: readonly UserAssignedIdentity[];
  /** Whether the resource manager leaves out their principal ids. */
  readonly omitPrincipalIds: boolean;
}

/** Which identities a resource is to have. */
export interface IdentityOptions {
  /** Whether it has an identity of its own, and with which ids if not random ones. Default: false. */
  readonly systemAssigned?: boolean | Partial<Principal>;
  readonly userAssigned?: readonly UserAssignedIdentity[];
  /** Leaves principal ids out of the resource manager's answers, as the cloud does at times. Default: false. */
  readonly omitPrincipalIds?: boolean;
}

/** A resource that gets tokens for its identities. */
export interface Actor extends Resource, Identities {
  /** Id of the resource that tokens of the system-assigned identity name in `xms_mirid`. */
  readonly identityOwner: string;
  /** Id of the resource that its tokens name in `xms_az_rid`; `undefined` when they have no such claim. */
  readonly tokenRequester: string | undefined;
}

/** Makes the identities, taking what the options leave out from the previous ones. */
export function createIdentities(options: IdentityOptions, previous?: Identities): Identities {
  return {
    systemAssigned: systemIdentity(options.systemAssigned, previous?.systemAssigned),
    userAssigned: options.userAssigned ?? previous?.userAssigned ?? [],
    omitPrincipalIds: options.omitPrincipalIds ?? previous?.omitPrincipalIds ?? false,
  };
}

function systemIdentity(
  wanted: IdentityOptions['systemAssigned'],
  previous: Principal | undefined,
): Principal | undefined {
  if (wanted === false) return undefined;
  if (wanted === undefined) return previous;
  return { principalId: randomUUID(), clientId: randomUUID(), ...previous, ...(wanted === true ? {} : wanted) };
}

/** Object ids of the principals that a resource brings into the directory. */
export function ownPrincipalIds({ systemAssigned }: Pick<Identities, 'systemAssigned'>): readonly string[] {
  return systemAssigned ? [systemAssigned.principalId] : [];
}

/** The `identity` member of a resource, or nothing when it has none. */
export function identityBlock(identities: Identities, tenantId: string): { identity?: Record<string, unknown> } {
  const { systemAssigned, userAssigned, omitPrincipalIds } = identities;
  const principal = (identity: Principal): object => (omitPrincipalIds ? {} : { principalId: identity.principalId });
  const types = [...(systemAssigned ? ['SystemAssigned'] : []), ...(userAssigned.length > 0 ? ['UserAssigned'] : [])];
  if (types.length === 0) return {};
  const attached = userAssigned.map((identity) => [
    identity.id,
    { clientId: identity.clientId, ...principal(identity) },
  ]);
  return {
    identity: {
      type: types.join(', '),
      ...(systemAssigned && { tenantId, ...principal(systemAssigned) }),
      ...(attached.length > 0 && { userAssignedIdentities: Object.fromEntries(attached) as object }),
    },
  };
}
