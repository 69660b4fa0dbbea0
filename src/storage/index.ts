export type { Disk, DiskEntry } from './file/disk.js';
export { FileStorage } from './file/file-storage.js';
export type { FileStorageOptions } from './file/file-storage.js';
export { readStorageKey } from './file/storage-key.js';
export type { StorageKeySource } from './file/storage-key.js';
export { MemoryStorage } from './memory-storage.js';
export { prefixedStorage } from './prefixed-storage.js';
