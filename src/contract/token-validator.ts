import type { CloudConfiguration } from './configuration.js';

/** What a verified identity token says. Values are as signed; nothing here comes from the caller's other fields. */
export interface IdentityClaims {
  /** `oid`: the principal. Never empty. */
  readonly objectId: string;
  /** `appid` (v1) or `azp` (v2): the application. */
  readonly applicationId?: string;
  /** `groups`, when the token lists them. */
  readonly groups?: readonly string[];
  /** True when the token says that its groups are too many to list. */
  readonly groupOverage: boolean;
  /** `xms_az_rid`: the resource that asked for the token. */
  readonly resourceId?: string;
  /** `xms_mirid`: the managed identity, or the resource that it belongs to. */
  readonly managedIdentityId?: string;
  /** `exp`, seconds since the Unix epoch. */
  readonly expiresAt: number;
}

/**
 * Verifies identity tokens (spec 5.3; rules 3 of the login rules).
 *
 * Rejects with `login_denied`, naming the rule, when the token is not acceptable, and with `provider_unavailable` when the
 * tenant's keys cannot be had before `signal` aborts. No rejection holds the token, or any of its content but the audience.
 */
export interface TokenValidator {
  /** Names of its rules in the order in which they are applied. A denial carries one of them. */
  readonly rules: readonly string[];

  validate(jwt: string, configuration: CloudConfiguration, signal: AbortSignal): Promise<IdentityClaims>;

  /** Ends background work. The transport belongs to whoever made it. */
  close(): Promise<void>;
}
