import { randomBytes, randomUUID } from 'node:crypto';
import type { Principal } from './resources.js';

/** One of an application's client secrets. */
export interface ClientSecret {
  readonly value: string;
  /** Milliseconds since the Unix epoch; absent = never expires. */
  readonly expiresAt?: number;
}

/** An application registered in the directory. */
export interface Application extends Principal {
  /** The first of its secrets. */
  readonly clientSecret: string;
  readonly secrets: readonly ClientSecret[];
  /**
   * Whether it may do the action, for instance `Microsoft.Compute/virtualMachines/read`, to the scope: the id of a resource,
   * or when it lists, of what it lists in. In Graph the action is `checkMemberGroups` and the scope for instance
   * `/servicePrincipals/{id}`. Managed identities may read everything.
   */
  readonly mayRead: (scope: string, action: string) => boolean;
}

/** What to make an {@link Application} of. Ids and secret that are left out are random. */
export interface ApplicationOptions extends Partial<Principal> {
  readonly clientSecret?: string;
  /** When the secret expires, in milliseconds since the Unix epoch. Default: never. */
  readonly secretExpiresAt?: number;
  /** Default: everything. */
  readonly mayRead?: (scope: string, action: string) => boolean;
}

/** Makes an application; the caller registers it. */
export function createApplication(options: ApplicationOptions): Application {
  // The prefix makes a leaked secret recognisable in logs and answers.
  const clientSecret = options.clientSecret ?? `canary-${randomBytes(20).toString('base64url')}`;
  return {
    clientId: options.clientId ?? randomUUID(),
    principalId: options.principalId ?? randomUUID(),
    clientSecret,
    secrets: [
      { value: clientSecret, ...(options.secretExpiresAt !== undefined && { expiresAt: options.secretExpiresAt }) },
    ],
    mayRead: options.mayRead ?? (() => true),
  };
}
