export { MemoryStorage } from './memory-storage.js';
export { prefixedStorage } from './prefixed-storage.js';
