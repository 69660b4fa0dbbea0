import type { CloudEnvironment } from './environment.js';

/** Kinds of credential for provider calls, in the order in which they are tried. */
export type CredentialKind = 'root_creds' | 'plugin_wif' | 'aks_wi' | 'msi';

/**
 * The configuration in force: stored fields first, environment variables where those are absent, defaults last.
 *
 * The same object is handed to the modules for as long as nothing changes, and a new one after any change. A module may
 * therefore hang clients, tokens and caches on it (in a `WeakMap`): nothing then survives a configuration change or
 * crosses mounts.
 */
export interface CloudConfiguration {
  readonly tenantId: string;
  /** Audience that identity tokens must carry. */
  readonly resource: string;
  readonly environment: CloudEnvironment;
  readonly clientId?: string;
  /** Secret. */
  readonly clientSecret?: string;
  /** Plugin identity tokens to federate with, by their audience and their lifetime in seconds (spec 5.5). */
  readonly identityToken?: { readonly audience: string; readonly ttl: number };
  /** The only kind of credential to use; absent = the first that there is. */
  readonly credentialKind?: CredentialKind;
  /** Attempts at a provider call in all, at least 1. */
  readonly maxAttempts: number;
  /** Seconds before the second attempt; doubles from there. */
  readonly retryDelay: number;
  /** Seconds between attempts at most. */
  readonly maxRetryDelay: number;
}
