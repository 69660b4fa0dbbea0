export { createApplicationPasswords } from './application-passwords.js';
export { cachedLookups } from './cached-lookups.js';
export type { CachedLookupsOptions } from './cached-lookups.js';
export { createCloudLookups } from './lookups.js';
export type { CloudLookupsOptions } from './lookups.js';
