import { randomUUID } from 'node:crypto';
import { createIdentities, identityBlock, ownPrincipalIds } from './identities.js';
import type { Actor, IdentityOptions } from './identities.js';
import { place } from './resources.js';
import type { Defaults, Placement, Resource } from './resources.js';

/** Something that runs, has identities and can ask its metadata service for tokens. */
export interface Machine extends Actor {
  /** Unique id of this incarnation. */
  readonly vmId: string;
  /** The scale set that it belongs to. */
  readonly scaleSet: Resource | undefined;
}

/** A virtual machine. */
export interface VirtualMachine extends Machine {
  readonly type: typeof TYPE;
}

/** What to make a {@link VirtualMachine} of. */
export interface VirtualMachineOptions extends Placement, IdentityOptions {}

/** What {@link VirtualMachineOptions} can change of a machine that exists. */
export type VirtualMachineChanges = Omit<VirtualMachineOptions, 'name' | 'subscriptionId' | 'resourceGroup'>;

const TYPE = 'Microsoft.Compute/virtualMachines';

/**
 * Makes a machine; the caller registers it. A `previous` one lends its ids and whatever the options leave out, so that the
 * result is the same machine, changed.
 */
export function createVirtualMachine(
  options: VirtualMachineOptions & { readonly scaleSet?: Resource },
  defaults: Defaults,
  previous?: Machine,
): VirtualMachine {
  const placement = { ...previous, ...options, name: options.name ?? previous?.name ?? 'machine' };
  const placed = place(TYPE, placement, defaults);
  const identities = createIdentities(options, previous);
  const vmId = previous?.vmId ?? randomUUID();
  const { scaleSet } = placement;
  return {
    ...placed,
    type: TYPE,
    ...identities,
    principalIds: ownPrincipalIds(identities),
    identityOwner: placed.id,
    tokenRequester: placed.id,
    vmId,
    scaleSet,
    body: {
      tags: {},
      ...identityBlock(identities, defaults.tenantId),
      properties: {
        vmId,
        provisioningState: 'Succeeded',
        hardwareProfile: { vmSize: 'Standard_D2s_v5' },
        osProfile: { computerName: placement.name },
        ...(scaleSet && { virtualMachineScaleSet: { id: scaleSet.id } }),
      },
    },
  };
}
