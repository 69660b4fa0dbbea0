import type { CloudConfiguration } from './configuration.js';

/** Where root rotation stands. Times are milliseconds since the Unix epoch; absent = unknown or never. */
export interface RotationStatus {
  readonly lastRotation?: number;
  readonly nextRotation?: number;
  /** When the client secret in use expires. */
  readonly secretExpiration?: number;
  /** The rotation that has begun and not ended. */
  readonly open?: OpenRotationStatus;
  /** How many credentials must still go from the directory, because rotations that were cancelled or failed had added them. */
  readonly cleanUps: number;
}

/** A rotation that has begun and not ended. */
export interface OpenRotationStatus {
  /**
   * `adding`: a credential is asked of the directory. `pending`: the directory does not accept the new secret yet. `promoting`: the
   * new secret is in use, and the old one is being removed.
   */
  readonly state: 'adding' | 'pending' | 'promoting';
  /** Display name of the new credential. */
  readonly attempt: string;
  /** Milliseconds since the Unix epoch. */
  readonly startedAt: number;
}

/**
 * Replaces the client secret (spec 4.4 and 5.6). At every instant storage holds a secret that works, and no secret is left
 * in the directory that nobody knows.
 */
export interface RotationManager {
  /**
   * Begins to finish or undo what a crash interrupted, and hands the schedule to the host where that rotates. Does not wait for
   * the directory. Does nothing on a node that may not write.
   */
  recover(): Promise<void>;

  /**
   * Rotates now; concurrent calls join. `completed` when the new secret is in use and the old one gone, `pending` when the
   * directory has not accepted the new one yet and the swap goes on in the background.
   *
   * Rejects with `invalid_request` when there is nothing to rotate, with `provider_unavailable` when the directory does not
   * answer, with `storage_failed`; the secret that was in use then still is.
   */
  rotate(): Promise<'completed' | 'pending'>;

  /**
   * Runs a change of the stored configuration; every one goes through here. Nothing of a rotation happens meanwhile.
   *
   * @param change - writes or deletes the configuration
   * @param changesCredential - whether it gives other credentials: an open rotation is then cancelled before, and what it had
   *   added to the directory is removed after
   */
  reconfigure(change: () => Promise<void>, changesCredential: () => Promise<boolean>): Promise<void>;

  /** Rotates if a rotation is due, and goes on with what is open. Does not wait for the directory. `now` in milliseconds. */
  periodic(now: number): Promise<void>;

  status(): Promise<RotationStatus>;

  /** Ends what runs in the background, as a crash would: a later process goes on. */
  close(): Promise<void>;
}

/** When rotations happen by themselves. */
export interface RotationSchedule {
  /** Seconds between rotations; 0 when `expression` is used. */
  readonly period: number;
  /** Five-field cron expression in UTC; empty when `period` is used. */
  readonly expression: string;
  /** Seconds after a scheduled time within which the rotation may happen; 0 = unbounded. */
  readonly window: number;
  /** Since when it is in force, in milliseconds since the Unix epoch. */
  readonly since: number;
  /** The first time of `expression` strictly after that one. Milliseconds since the Unix epoch. */
  next(after: number): number | undefined;
}

/** Credentials of an application at one time. */
export interface RootCredential {
  readonly tenantId: string;
  /** Name of the environment. */
  readonly environment: string;
  readonly clientId: string;
  /** Secret. */
  readonly clientSecret: string;
}

/** The stored configuration, as far as root rotation is concerned with it. */
export interface RootConfiguration {
  /** The stored credential. Rejects with `invalid_request`, which names the field, when there is none that can be rotated. */
  credential(): Promise<RootCredential>;

  /** When to rotate; `undefined` when not by itself. */
  schedule(): Promise<RotationSchedule | undefined>;

  /** Seconds that new secrets live. */
  secretTtl(): Promise<number>;

  /** The configuration in force with that credential in the place of its own: the same object while both are the same. */
  withCredential(credential: RootCredential): Promise<CloudConfiguration>;

  /** Stores another client secret, if the stored credential is still that one. Resolves to whether it did. */
  replaceSecret(current: RootCredential, clientSecret: string): Promise<boolean>;
}
