import type { CallFilter } from '../../src/simulator/index.js';

/** The parts of the cloud that a login depends on, in the order in which it asks them. */
export const SERVICES = {
  discovery: { service: 'authority', path: /openid-configuration/ },
  'key set': { service: 'authority', path: /discovery\/keys/ },
  'token endpoint': { service: 'authority', path: /oauth2/ },
  'resource manager': { service: 'resource-manager' },
  graph: { service: 'graph' },
} as const satisfies Record<string, CallFilter>;

export type ServiceName = keyof typeof SERVICES;
export const SERVICE_NAMES = Object.keys(SERVICES) as ServiceName[];

/** Whether no token can be verified without the service. */
export function isOfKeys(name: ServiceName): boolean {
  return name === 'discovery' || name === 'key set';
}

/** Roles: decided by the token alone, by the resource manager, and by Graph. */
export type RoleName = 'listed' | 'placed' | 'grouped';

/** The role whose logins depend on a service. */
export function roleFor(service: ServiceName): RoleName {
  return service === 'graph' ? 'grouped' : 'placed';
}
