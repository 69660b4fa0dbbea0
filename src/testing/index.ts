export * from '../simulator/index.js';
export { runStorageContract } from './storage-contract.js';
export type { TestRunner } from './storage-contract.js';
