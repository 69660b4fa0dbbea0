export type { GrantedAuth, HostAnswer, HostOperation, HostRequest } from './host-request.js';
export { jsonLogger } from './json-logger.js';
export type { LogLevel } from './json-logger.js';
export { ServerCore } from './server-core.js';
export type { ServerCoreOptions } from './server-core.js';
export { systemClock } from './system-clock.js';
export { TOKEN_SYNTAX } from './token-syntax.js';
