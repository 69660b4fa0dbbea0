export { createTransport } from './transport.js';
export type { TransportOptions } from './transport.js';
export { loggedTransport } from './logged-transport.js';
