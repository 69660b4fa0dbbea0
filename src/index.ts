export { createBackend } from './backend.js';
export type { BackendModules, BackendOptions } from './backend.js';
export * from './contract/index.js';
export { KNOWN_ENVIRONMENTS } from './environments.js';
export type { DialectName } from './paths/dialect.js';
export { VERSION } from './version.js';
