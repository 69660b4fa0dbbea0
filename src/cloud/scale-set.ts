import type { ConfirmedScaleSet, ResourceReference } from '../contract/index.js';
import { confirmedResource } from './confirmed-resource.js';
import type { Session } from './session.js';

/** Reads a scale set (spec 1.7). Those older than the choice do not tell their orchestration: they are uniform. */
export async function readScaleSet(
  session: Session,
  { subscriptionId, resourceGroup, name }: ResourceReference,
  signal: AbortSignal,
): Promise<ConfirmedScaleSet> {
  const client = await session.compute(subscriptionId);
  const scaleSet = await client.virtualMachineScaleSets.get(resourceGroup, name, { abortSignal: signal });
  const orchestration = scaleSet.orchestrationMode === 'Flexible' ? 'flexible' : 'uniform';
  return { ...confirmedResource(scaleSet), orchestration };
}
