import { AuthMethodError } from '../contract/index.js';
import type { ResourceReference } from '../contract/index.js';

/** One path segment that stays one, however a URL parser looks at it. */
const SEGMENT = /^(?!\.{1,2}$)[^/\\?#%\p{Cc}\p{Cs}]+$/u;

/**
 * Second line of defence: names were checked against the cloud's rules long before, and the SDKs encode most of what could
 * leave its path segment, though not dots.
 *
 * @throws `internal` when a part could name something else than it says.
 */
export function requireSegments({ subscriptionId, resourceGroup, name }: ResourceReference): void {
  if (![subscriptionId, resourceGroup, name].every((part) => SEGMENT.test(part))) {
    throw new AuthMethodError('internal', 'A resource name that was not validated has reached the cloud lookups.');
  }
}
