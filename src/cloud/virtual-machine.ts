import type { ConfirmedResource, ResourceReference } from '../contract/index.js';
import { confirmedResource } from './confirmed-resource.js';
import type { Session } from './session.js';

/** Reads a virtual machine (spec 1.7). */
export async function readVirtualMachine(
  session: Session,
  machine: ResourceReference,
  signal: AbortSignal,
): Promise<ConfirmedResource> {
  const client = await session.compute(machine.subscriptionId);
  return confirmedResource(
    await client.virtualMachines.get(machine.resourceGroup, machine.name, { abortSignal: signal }),
  );
}
