export type { LogLevel } from '../core/index.js';
export { jsonLogger, systemClock } from '../core/index.js';
export type { HttpBindings } from './app.js';
export { createHttpHost } from './http-host.js';
export type { HttpHost, HttpHostOptions, ListenOptions } from './http-host.js';
