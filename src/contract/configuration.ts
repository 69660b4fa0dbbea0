import type { CloudEnvironment } from './environment.js';

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
  /** Attempts at a provider call in all, at least 1. */
  readonly maxAttempts: number;
  /** Seconds before the second attempt; doubles from there. */
  readonly retryDelay: number;
  /** Seconds between attempts at most. */
  readonly maxRetryDelay: number;
}
