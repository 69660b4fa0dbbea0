import type { Clock, Logger, RootConfiguration } from '../contract/index.js';
import type { Directory } from './directory.js';
import type { RotationStore } from './rotation-store.js';
import type { RotationTiming } from './timing.js';

/** What the parts of root rotation work with. */
export interface RotationTools {
  readonly store: RotationStore;
  readonly root: RootConfiguration;
  readonly directory: Directory;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly timing: RotationTiming;
}
