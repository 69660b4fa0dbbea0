import { randomBytes, randomUUID } from 'node:crypto';
import { createIdentities, identityBlock, ownPrincipalIds } from './identities.js';
import type { Identities, IdentityOptions } from './identities.js';
import { place } from './resources.js';
import type { Defaults, Placement, Resource } from './resources.js';
import { createVirtualMachine } from './virtual-machines.js';
import type { Machine } from './virtual-machines.js';

/** A group of machines of one model. Its identities are those of all its instances. */
export interface ScaleSet extends Resource, Identities {
  readonly orchestration: 'uniform' | 'flexible';
}

/** What to make a {@link ScaleSet} of. */
export interface ScaleSetOptions extends Placement, IdentityOptions {
  /** Whether its machines are instances below it, or virtual machines of their own. Default: uniform. */
  readonly orchestration?: 'uniform' | 'flexible';
}

/** What to make an instance of a scale set of. */
export interface InstanceOptions {
  /** Last part of its name. Default: a number that is new if the scale set is uniform, else eight hexadecimal digits. */
  readonly instanceId?: string;
}

const TYPE = 'Microsoft.Compute/virtualMachineScaleSets';
const SKU = { name: 'Standard_D2s_v5', tier: 'Standard' };
const MODES = { uniform: 'Uniform', flexible: 'Flexible' };

/** Makes a scale set without instances; the caller registers it. */
export function createScaleSet(options: ScaleSetOptions, defaults: Defaults): ScaleSet {
  const { name = 'scale-set', orchestration = 'uniform' } = options;
  const identities = createIdentities(options);
  return {
    ...place(TYPE, { ...options, name }, defaults),
    ...identities,
    principalIds: ownPrincipalIds(identities),
    orchestration,
    body: {
      sku: { ...SKU, capacity: 1 },
      tags: {},
      ...identityBlock(identities, defaults.tenantId),
      properties: {
        orchestrationMode: MODES[orchestration],
        provisioningState: 'Succeeded',
        uniqueId: randomUUID(),
        singlePlacementGroup: false,
        platformFaultDomainCount: 1,
        ...(orchestration === 'uniform' && { overprovision: false, upgradePolicy: { mode: 'Manual' } }),
      },
    },
  };
}

/** Makes an instance of a scale set; the caller registers it. */
export function createInstance(
  scaleSet: ScaleSet,
  { instanceId }: InstanceOptions,
  number: number,
  defaults: Defaults,
): Machine {
  return scaleSet.orchestration === 'uniform'
    ? createUniformInstance(scaleSet, instanceId ?? String(number), defaults)
    : createFlexibleInstance(scaleSet, instanceId ?? randomBytes(4).toString('hex'), defaults);
}

function createUniformInstance(scaleSet: ScaleSet, instanceId: string, defaults: Defaults): Machine {
  const { systemAssigned, userAssigned, omitPrincipalIds } = scaleSet;
  const identities = { systemAssigned, userAssigned, omitPrincipalIds };
  const name = `${scaleSet.name}_${instanceId}`;
  const vmId = randomUUID();
  return {
    ...place(`${TYPE}/virtualMachines`, { ...scaleSet, name: `${scaleSet.name}/${instanceId}` }, defaults),
    name,
    ...identities,
    principalIds: [],
    identityOwner: scaleSet.id,
    tokenRequester: scaleSet.id,
    vmId,
    scaleSet,
    body: {
      instanceId,
      sku: SKU,
      ...identityBlock(identities, defaults.tenantId),
      properties: { vmId, latestModelApplied: true, provisioningState: 'Succeeded', osProfile: { computerName: name } },
    },
  };
}

function createFlexibleInstance(scaleSet: ScaleSet, instanceId: string, defaults: Defaults): Machine {
  const { subscriptionId, resourceGroup, location, systemAssigned, userAssigned, omitPrincipalIds } = scaleSet;
  const placement = { name: `${scaleSet.name}_${instanceId}`, subscriptionId, resourceGroup, location };
  const identities = { systemAssigned: systemAssigned ?? false, userAssigned, omitPrincipalIds };
  return createVirtualMachine({ ...placement, ...identities, scaleSet }, defaults);
}
