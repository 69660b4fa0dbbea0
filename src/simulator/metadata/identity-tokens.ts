import type { Actor, Identities } from '../identities.js';
import type { Principal } from '../resources.js';
import { MACHINE_TOKEN_LIFETIME } from '../tokens.js';
import type { ResourceTokenOptions } from '../tokens.js';

/** What a metadata service knows of the simulated world. */
export interface MetadataWorld {
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
  /** The machine or other resource that it serves, as it is now; `undefined` when it is gone. */
  actor(): Actor | undefined;
  tokenFor(actor: Actor, options: ResourceTokenOptions): Promise<string>;
}

/** One of the identities of a resource. */
export type Identity = NonNullable<ResourceTokenOptions['identity']>;

/** How a request names an identity; `null` where it does not. */
export interface IdentityName {
  readonly clientId: string | null;
  readonly principalId: string | null;
  readonly resourceId: string | null;
}

/** Whether a request names an identity at all. */
export function namesIdentity({ clientId, principalId, resourceId }: IdentityName): boolean {
  return clientId !== null || principalId !== null || resourceId !== null;
}

/** The identity with any of those ids; `undefined` when the resource has none such. */
export function namedIdentity({ systemAssigned, userAssigned }: Identities, name: IdentityName): Identity | undefined {
  const is = (id: string, wanted: string | null): boolean => id.toLowerCase() === wanted?.toLowerCase();
  const isNamed = (identity: Principal): boolean =>
    is(identity.clientId, name.clientId) || is(identity.principalId, name.principalId);
  if (systemAssigned && isNamed(systemAssigned)) return 'system';
  return userAssigned.find((identity) => isNamed(identity) || is(identity.id, name.resourceId));
}

/** What all metadata services answer when they give a token. */
export interface TokenBody {
  readonly access_token: string;
  readonly client_id: string;
  /** Seconds since the Unix epoch, as text. */
  readonly expires_on: string;
  readonly resource: string;
  readonly token_type: 'Bearer';
}

/** A new token of an identity that the resource has. */
export async function giveToken(
  world: MetadataWorld,
  actor: Actor,
  identity: Identity,
  resource: string,
): Promise<TokenBody> {
  const principal = identity === 'system' ? actor.systemAssigned : identity;
  return {
    access_token: await world.tokenFor(actor, { identity, resource }),
    client_id: principal?.clientId ?? '',
    expires_on: String(Math.floor(world.now() / 1000) + MACHINE_TOKEN_LIFETIME),
    resource,
    token_type: 'Bearer',
  };
}
