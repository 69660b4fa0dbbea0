import type { System } from '../../src/contract/index.js';

/** A host without optional capabilities that sends invalidations and lets tokens live for 32 days. */
export function fakeSystem(changes: Partial<System> = {}): System {
  return {
    defaultLeaseTtl: () => Promise.resolve(3_600),
    maxLeaseTtl: () => Promise.resolve(2_764_800),
    isActive: () => Promise.resolve(true),
    mountPath: 'cloud',
    mountAccessor: 'auth_cloud_1',
    namespace: '',
    product: '',
    sendsInvalidations: true,
    ...changes,
  };
}
