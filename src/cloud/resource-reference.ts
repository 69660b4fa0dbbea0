import { AuthMethodError } from '../contract/index.js';
import type { ResourceGroupReference, ResourceReference, TypedResourceReference } from '../contract/index.js';

/** One path segment that stays one, however a URL parser looks at it. */
const SEGMENT = /^(?!\.{1,2}$)[^/\\?#%\p{Cc}\p{Cs}]+$/u;

/**
 * Second line of defence: names were checked against the cloud's rules long before, and the SDKs encode most of what could
 * leave its path segment, though not dots.
 *
 * @throws `internal` when a part could name something else than it says.
 */
export function requireSegments(reference: ResourceReference): void {
  requireGroup(reference);
  requireAll([reference.name]);
}

/** {@link requireSegments} for a resource group. */
export function requireGroup({ subscriptionId, resourceGroup }: ResourceGroupReference): void {
  requireAll([subscriptionId, resourceGroup]);
}

/** {@link requireSegments} for a resource of any type. There must be one name for each type. */
export function requireTypedSegments(reference: TypedResourceReference): void {
  requireGroup(reference);
  const [namespace = '', ...types] = reference.type.split('/');
  if (types.length === 0 || types.length !== reference.names.length) throw unvalidated();
  requireAll([namespace, ...types, ...reference.names]);
}

function requireAll(parts: readonly string[]): void {
  if (!parts.every((part) => SEGMENT.test(part))) throw unvalidated();
}

function unvalidated(): AuthMethodError {
  return new AuthMethodError('internal', 'A resource name that was not validated has reached the cloud lookups.');
}
