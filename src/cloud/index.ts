export { createCloudLookups } from './lookups.js';
export type { CloudLookupsOptions } from './lookups.js';
