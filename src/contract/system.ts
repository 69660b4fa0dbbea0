/** A signed token in which the host vouches for this mount (spec 5.5). */
export interface IdentityToken {
  /** A compact JWT. Secret. */
  readonly token: string;
  /** Seconds until it expires. */
  readonly ttl: number;
}

/** A rotation that the host runs for the backend, by calling back with the `update` operation on `path`. */
export interface RotationJob {
  /** Path below the mount to call, for instance `rotate-root`. */
  readonly path: string;
  /** Five-field cron expression in UTC; empty when `period` is used. */
  readonly schedule: string;
  /** Seconds that a scheduled rotation may take; 0 = unbounded. */
  readonly window: number;
  /** Seconds between rotations; 0 when `schedule` is used. */
  readonly period: number;
}

/**
 * What a host tells a mount about itself. Values may change while the mount lives, so the backend asks each time.
 * The optional methods are capabilities: a backend that needs one that is missing answers `capability_missing`.
 */
export interface System {
  /** Seconds a token lives when neither role nor login says otherwise, as tuned for this mount. */
  defaultLeaseTtl(): Promise<number>;

  /** Seconds a token may live at most, as tuned for this mount. */
  maxLeaseTtl(): Promise<number>;

  /** Whether this node may write. False on standbys and secondaries. */
  isActive(): Promise<boolean>;

  /** Mount path without slashes at the ends, for instance `cloud`. */
  readonly mountPath: string;

  /** Stable identifier of the mount; survives a move to another path. */
  readonly mountAccessor: string;

  /** Namespace path; empty for the root namespace. */
  readonly namespace: string;

  /** Product and version for the user agent, for instance `OpenBao/2.6.2`; empty when unknown. */
  readonly product: string;

  /**
   * Whether the host calls {@link Backend.invalidate} for each key that changes behind this instance's back, or nothing can
   * change there. When false, cached configuration and roles are read again after a few seconds.
   */
  readonly sendsInvalidations: boolean;

  /** Whether the host calls {@link Backend.periodic}. When not true, the backend keeps time by a timer of its own. */
  readonly callsPeriodic?: boolean;

  /** Signs an identity token for this mount. `ttl` in seconds. */
  generateIdentityToken?(audience: string, ttl: number): Promise<IdentityToken>;

  /** Hands a rotation schedule to the host, replacing any earlier one for the same path. */
  registerRotationJob?(job: RotationJob): Promise<void>;

  /** Takes it back. Without one registered, nothing happens. */
  deregisterRotationJob?(path: string): Promise<void>;
}
