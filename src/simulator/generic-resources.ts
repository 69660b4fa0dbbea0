import { createIdentities, identityBlock, ownPrincipalIds } from './identities.js';
import type { Actor, IdentityOptions } from './identities.js';
import { place } from './resources.js';
import type { Defaults, Placement } from './resources.js';

/** What to make a resource of any type of: a web app, a container group, an Arc machine and so on. */
export interface ResourceOptions extends Placement, IdentityOptions {
  /** For instance `Microsoft.Web/sites` or `Microsoft.Web/sites/slots`. */
  readonly type: string;
  /** One name for each type, with slashes between: `app`, or `app/staging`. */
  readonly name: string;
  /** Sort of the type, for instance `functionapp`. */
  readonly kind?: string;
  /** What else the resource manager answers in `properties`. */
  readonly properties?: Readonly<Record<string, unknown>>;
}

/**
 * Makes a resource; the caller registers it. Its tokens name its system-assigned identity by the resource's id and other
 * identities by theirs, and do not say which resource asked.
 * @throws Error when there are not as many names as types.
 */
export function createResource(options: ResourceOptions, defaults: Defaults): Actor {
  const { type, kind, properties } = options;
  const placed = place(type, options, defaults);
  const identities = createIdentities(options);
  return {
    ...placed,
    ...identities,
    principalIds: ownPrincipalIds(identities),
    identityOwner: placed.id,
    tokenRequester: undefined,
    body: {
      ...(kind !== undefined && { kind }),
      tags: {},
      ...identityBlock(identities, defaults.tenantId),
      properties: { provisioningState: 'Succeeded', ...properties },
    },
  };
}
