/** How long root rotation waits for what. All in milliseconds. */
export interface RotationTiming {
  /** How long a caller of `rotate` waits for the directory to accept the new secret before the answer is `pending`. */
  readonly patience: number;
  /** What one call to the directory may take, its retries included. */
  readonly callDeadline: number;
  /** How long the directory may take to come out with a credential that it did not show before. */
  readonly settling: number;
  /** Time between looks at the clock on hosts that do not call `periodic`. */
  readonly tick: number;
  /** Tries of the new secret: the first delay and the longest. */
  readonly acceptance: DelayRange;
  /** Removal of the superseded secret. */
  readonly removal: DelayRange;
  /** Removal of what abandoned attempts have left behind. */
  readonly cleanUp: DelayRange;
}

/** A first delay and the longest that it grows to, in milliseconds. */
export interface DelayRange {
  readonly first: number;
  readonly longest: number;
}

/** What is in force where nothing else is asked for. */
export const DEFAULT_TIMING: RotationTiming = {
  patience: 5_000,
  callDeadline: 30_000,
  settling: 15 * 60_000,
  tick: 5_000,
  acceptance: { first: 250, longest: 15_000 },
  removal: { first: 1_000, longest: 60_000 },
  cleanUp: { first: 1_000, longest: 60 * 60_000 },
};
