import type {
  Actor,
  Application,
  Resource,
  ResourceTokenOptions,
  UserAssignedIdentity,
} from '../../simulator/index.js';
import type { Inhabitants } from './inhabitants.js';

/** A login of someone as someone. */
export interface Pose {
  /** Whose token is sent: a resource's, that of an identity in a pod, or an application's. */
  readonly from: Actor | UserAssignedIdentity | Application;
  /** How the token is made. */
  readonly token?: Partial<ResourceTokenOptions>;
  /** Whom the login names, by the field of its kind. Absent: nobody. */
  readonly as?: Resource;
  /** Fields of the login beside these, or in their place. */
  readonly fields?: Readonly<Record<string, unknown>>;
}

/** Makes a login of what is in the cloud. */
export type PoseOf = (inhabitants: Inhabitants) => Pose;

/** The fields of a login that name a resource. */
export function namesOf({ type, name, id, subscriptionId, resourceGroup }: Resource): Record<string, string> {
  const place = { subscription_id: subscriptionId, resource_group_name: resourceGroup };
  switch (type) {
    case 'Microsoft.Compute/virtualMachines':
      return { ...place, vm_name: name };
    case 'Microsoft.Compute/virtualMachineScaleSets':
      return { ...place, vmss_name: name };
    default:
      return { ...place, resource_id: id };
  }
}
