/** Where root rotation stands. Times are milliseconds since the Unix epoch; absent = unknown or never. */
export interface RotationStatus {
  readonly lastRotation?: number;
  readonly nextRotation?: number;
  /** When the client secret in use expires. */
  readonly secretExpiration?: number;
}

/**
 * Replaces the client secret (spec 4.4 and 5.6). At every instant storage holds a secret that works, and no secret is left
 * in the directory that nobody knows.
 */
export interface RotationManager {
  /** Finishes or undoes what a crash interrupted. */
  recover(): Promise<void>;

  /**
   * Rotates now; concurrent calls join. `completed` when the new secret is in use, `pending` when the directory has not
   * accepted it yet and the swap goes on in the background.
   */
  rotate(): Promise<'completed' | 'pending'>;

  /** Cancels an open rotation because the configuration it was for has changed or gone. */
  cancel(): Promise<void>;

  /** Rotates if a rotation is due. `now` in milliseconds since the Unix epoch. */
  periodic(now: number): Promise<void>;

  status(): Promise<RotationStatus>;
}
