import { randomUUID } from 'node:crypto';
import { place } from './resources.js';
import type { Defaults, Placement, Principal, Resource } from './resources.js';
import type { UserAssignedIdentity } from './user-assigned-identities.js';

/** Something that runs, has identities and can ask its metadata service for tokens. */
export interface Machine extends Resource {
  /** Unique id of this incarnation. */
  readonly vmId: string;
  readonly systemAssigned: Principal | undefined;
  readonly userAssigned: readonly UserAssignedIdentity[];
}

/** A virtual machine. */
export interface VirtualMachine extends Machine {
  /** Whether the resource manager leaves out the principal ids of its identities. */
  readonly omitPrincipalIds: boolean;
}

/** What to make a {@link VirtualMachine} of. */
export interface VirtualMachineOptions extends Placement {
  /** Whether it has an identity of its own, and with which ids if not random ones. Default: false. */
  readonly systemAssigned?: boolean | Partial<Principal>;
  readonly userAssigned?: readonly UserAssignedIdentity[];
  /** Leaves principal ids out of the resource manager's answers, as the cloud does at times. Default: false. */
  readonly omitPrincipalIds?: boolean;
}

/** What {@link VirtualMachineOptions} can change of a machine that exists. */
export type VirtualMachineChanges = Omit<VirtualMachineOptions, 'name' | 'subscriptionId' | 'resourceGroup'>;

/**
 * Makes a machine; the caller registers it. A `previous` one lends its ids and whatever the options leave out, so that the
 * result is the same machine, changed.
 */
export function createVirtualMachine(
  options: VirtualMachineOptions,
  defaults: Defaults,
  previous?: VirtualMachine,
): VirtualMachine {
  const placement = { ...previous, ...options, name: options.name ?? previous?.name ?? 'machine' };
  const identities = {
    systemAssigned: systemIdentity(options.systemAssigned, previous?.systemAssigned),
    userAssigned: options.userAssigned ?? previous?.userAssigned ?? [],
    omitPrincipalIds: options.omitPrincipalIds ?? previous?.omitPrincipalIds ?? false,
  };
  const vmId = previous?.vmId ?? randomUUID();
  return {
    ...place('Microsoft.Compute/virtualMachines', placement, defaults),
    ...identities,
    vmId,
    body: {
      tags: {},
      ...identityBlock(identities, defaults.tenantId),
      properties: {
        vmId,
        provisioningState: 'Succeeded',
        hardwareProfile: { vmSize: 'Standard_D2s_v5' },
        osProfile: { computerName: placement.name },
      },
    },
  };
}

function systemIdentity(
  wanted: VirtualMachineOptions['systemAssigned'],
  previous: Principal | undefined,
): Principal | undefined {
  if (wanted === false) return undefined;
  if (wanted === undefined) return previous;
  return { principalId: randomUUID(), clientId: randomUUID(), ...previous, ...(wanted === true ? {} : wanted) };
}

/** The `identity` member of a resource, or nothing when it has none. */
export function identityBlock(
  resource: Pick<VirtualMachine, 'systemAssigned' | 'userAssigned' | 'omitPrincipalIds'>,
  tenantId: string,
): { identity?: Record<string, unknown> } {
  const { systemAssigned, userAssigned, omitPrincipalIds } = resource;
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
