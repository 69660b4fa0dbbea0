export { createRotationManager } from './manager.js';
export type { RotationManagerOptions } from './manager.js';
export { ROTATION_KEYS } from './rotation-store.js';
export type { RotationTiming } from './timing.js';
