export type { GrantedAuth, HostAnswer, LogLevel } from '../core/index.js';
export { jsonLogger, systemClock } from '../core/index.js';
export { createMemoryHost } from './memory-host.js';
export type { Caller, MemoryHost, MemoryHostOptions, RequestData } from './memory-host.js';
