import type { CloudConfiguration } from './configuration.js';

/** A client secret as the directory lists it, without its text. */
export interface PasswordCredential {
  /** GUID. */
  readonly keyId: string;
  readonly displayName?: string;
  /** The first characters of the secret. */
  readonly hint?: string;
  /** Milliseconds since the Unix epoch. */
  readonly expiresAt?: number;
}

/** A client secret just made. */
export interface NewPassword {
  /** GUID. */
  readonly keyId: string;
  /** Secret. */
  readonly secret: string;
  /** Milliseconds since the Unix epoch. */
  readonly expiresAt: number;
}

/**
 * Client secrets of the application that a configuration names by its client id; asked with the configuration's own client
 * secret (spec 5.6). The directory is eventually consistent: what was just added or removed may be seen late.
 *
 * Every method rejects with `provider_unavailable` when the directory does not answer before `signal` aborts, with
 * `not_configured` when it refuses the credentials or the right to do this, with `not_found` when there is no such application.
 * No rejection holds provider text.
 */
export interface ApplicationPasswords {
  list(configuration: CloudConfiguration, signal: AbortSignal): Promise<readonly PasswordCredential[]>;

  /**
   * Adds one. Sent once: whoever meets a failure that does not say that nothing happened must look for it by its name.
   *
   * @param displayName - a name that no other has
   * @param expiresAt - milliseconds since the Unix epoch
   */
  add(
    displayName: string,
    expiresAt: number,
    configuration: CloudConfiguration,
    signal: AbortSignal,
  ): Promise<NewPassword>;

  /**
   * Removes one. Resolves to `true` when it was there and is removed, to `false` when the directory knows no such key id at
   * present: it may be gone, also by an earlier try of this very call, or not be visible yet.
   */
  remove(keyId: string, configuration: CloudConfiguration, signal: AbortSignal): Promise<boolean>;

  /** Whether the directory accepts the configuration's own client secret, by a fresh token request. */
  accepts(configuration: CloudConfiguration, signal: AbortSignal): Promise<boolean>;
}
