import { fold, sameName } from './fold.js';
import { GUID, RESOURCE_GROUP_NAME } from './names.js';

/** A parsed resource id; segments keep the spelling they came in. */
export interface ResourceId {
  readonly subscriptionId: string;
  readonly resourceGroup: string;
  /** Provider namespace and the types of the chain, for instance `Microsoft.Compute/virtualMachineScaleSets/virtualMachines`. */
  readonly type: string;
  /** One name for each type. */
  readonly names: readonly string[];
}

/** Type of a virtual machine. */
export const VIRTUAL_MACHINE = 'Microsoft.Compute/virtualMachines';
/** Type of a scale set. */
export const SCALE_SET = 'Microsoft.Compute/virtualMachineScaleSets';
/** Type of an instance of a uniform scale set. */
export const SCALE_SET_INSTANCE = `${SCALE_SET}/virtualMachines`;
/** Type of a user-assigned identity. */
export const USER_ASSIGNED_IDENTITY = 'Microsoft.ManagedIdentity/userAssignedIdentities';

const MAX_LENGTH = 2048;
const NAMESPACE = /^[a-z][a-z0-9]*(?:\.[a-z0-9]+)+$/i;
const TYPE = /^[a-z][a-z0-9]*$/i;
// No slash, no `..`, nothing that a URL reads as something else, no control character.
const NAME = /^(?!\.{1,2}$)(?!.*\.\.)[^/\\?#%&:<>*"|\p{C}\p{Zl}\p{Zp}]{1,260}$/u;

/**
 * Parses `/subscriptions/{guid}/resourceGroups/{group}/providers/{namespace}/{type}/{name}` with optional further type and name
 * pairs. Gives `undefined` for anything else, an empty segment or an escape included.
 */
export function parseResourceId(text: string): ResourceId | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  const [start, subscriptions, subscriptionId, groups, resourceGroup, providers, namespace, ...chain] = text.split('/');
  if (start !== '' || namespace === undefined || subscriptionId === undefined || resourceGroup === undefined)
    return undefined;
  if (fold(subscriptions ?? '') !== 'subscriptions' || fold(groups ?? '') !== 'resourcegroups') return undefined;
  if (fold(providers ?? '') !== 'providers' || chain.length < 2 || chain.length % 2 !== 0) return undefined;
  const types = chain.filter((_, index) => index % 2 === 0);
  const names = chain.filter((_, index) => index % 2 === 1);
  const isValid =
    GUID.pattern.test(subscriptionId) &&
    RESOURCE_GROUP_NAME.pattern.test(resourceGroup) &&
    NAMESPACE.test(namespace) &&
    types.every((type) => TYPE.test(type)) &&
    names.every((name) => NAME.test(name));
  return isValid ? { subscriptionId, resourceGroup, type: [namespace, ...types].join('/'), names } : undefined;
}

/** Whether a resource is of a type. */
export function isOfType(resource: ResourceId, type: string): boolean {
  return sameName(resource.type, type);
}

/** Whether two ids name the same resource: every segment is the same but for case. */
export function sameResource(left: ResourceId, right: ResourceId): boolean {
  return sameName(formatResourceId(left), formatResourceId(right));
}

/** Last name of the chain: the resource's own. */
export function ownName(resource: ResourceId): string {
  return resource.names.at(-1) ?? '';
}

/** The id as text, in the spelling of its segments. */
export function formatResourceId({ subscriptionId, resourceGroup, type, names }: ResourceId): string {
  const [namespace = '', ...types] = type.split('/');
  const chain = types.map((part, index) => `${part}/${names[index] ?? ''}`).join('/');
  return `/subscriptions/${subscriptionId}/resourceGroups/${resourceGroup}/providers/${namespace}/${chain}`;
}
