/* eslint-disable @typescript-eslint/require-await -- the contract lets hosts look these values up */
import type { System } from '../../contract/index.js';
import type { IdentityTokens } from './identity-tokens.js';
import type { Mount } from './mount.js';

/** What a mount of this server is told about itself. One process holds all the data: it is always active. */
export function mountSystem(mount: Mount, product: string, identityTokens: IdentityTokens): System {
  return {
    defaultLeaseTtl: async () => mount.limits.defaultLeaseTtl,
    maxLeaseTtl: async () => mount.limits.maxLeaseTtl,
    isActive: async () => true,
    mountPath: mount.record.path,
    mountAccessor: mount.record.accessor,
    namespace: '',
    product,
    sendsInvalidations: true,
    callsPeriodic: true,
    generateIdentityToken: (audience, ttl) => identityTokens.issue(mount.record.accessor, audience, ttl),
  };
}
