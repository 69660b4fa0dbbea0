import { randomBytes, randomUUID } from 'node:crypto';
import type { FederatedCredential } from './federated-credentials.js';
import { Passwords } from './passwords.js';
import type { PasswordDirectory } from './passwords.js';
import type { Principal } from './resources.js';

const NEVER = Date.UTC(2299, 11, 31);

/** An application registered in the directory. */
export interface Application extends Principal {
  /** Object id of the registration; `principalId` is that of its service principal. */
  readonly objectId: string;
  /** The client secret that it came with. */
  readonly clientSecret: string;
  readonly passwords: Passwords;
  /** How many passwords it may have at a time. */
  readonly maxPasswords: number;
  /** Whose assertions it is taken for in place of a client secret. May be changed at any time. */
  readonly federatedCredentials: FederatedCredential[];
  /**
   * Whether it may do the action, for instance `Microsoft.Compute/virtualMachines/read`, to the scope: the id of a resource,
   * or when it lists, of what it lists in. In Graph the action is `checkMemberGroups` and the scope for instance
   * `/servicePrincipals/{id}`, or the action is `read` and the scope `/applications/{objectId}`. Managed identities may read
   * everything.
   */
  readonly mayRead: (scope: string, action: string) => boolean;
  /** Whether it may change passwords of the application with that client id. */
  readonly mayManage: (clientId: string) => boolean;
}

/** What to make an {@link Application} of. Ids and secret that are left out are random. */
export interface ApplicationOptions extends Partial<Principal> {
  readonly objectId?: string;
  readonly clientSecret?: string;
  /** When the secret expires, in milliseconds since the Unix epoch. Default: never. */
  readonly secretExpiresAt?: number;
  /** Default: 100. */
  readonly maxPasswords?: number;
  /** Default: none. */
  readonly federatedCredentials?: readonly FederatedCredential[];
  /** Default: everything. */
  readonly mayRead?: (scope: string, action: string) => boolean;
  /** Default: itself and no other. */
  readonly mayManage?: (clientId: string) => boolean;
}

/** Makes an application; the caller registers it. */
export function createApplication(options: ApplicationOptions, directory: PasswordDirectory): Application {
  // The prefix makes a leaked secret recognisable in logs and answers.
  const clientSecret = options.clientSecret ?? `canary-${randomBytes(20).toString('base64url')}`;
  const clientId = options.clientId ?? randomUUID();
  return {
    clientId,
    principalId: options.principalId ?? randomUUID(),
    objectId: options.objectId ?? randomUUID(),
    clientSecret,
    passwords: new Passwords({ secretText: clientSecret, expiresAt: options.secretExpiresAt ?? NEVER }, directory),
    maxPasswords: options.maxPasswords ?? 100,
    federatedCredentials: [...(options.federatedCredentials ?? [])],
    mayRead: options.mayRead ?? (() => true),
    mayManage: options.mayManage ?? ((other) => other.toLowerCase() === clientId.toLowerCase()),
  };
}
