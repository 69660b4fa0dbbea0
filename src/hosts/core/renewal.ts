import { AuthMethodError } from '../../contract/index.js';
import type { HostAnswer, HostRequest } from './host-request.js';
import { grantLifetime } from './lifetime.js';
import type { LeaseLimits, LifetimeTerms } from './lifetime.js';
import { describeGrant, withWarnings } from './token-authority.js';
import type { TokenAuthority } from './token-authority.js';
import type { TokenRecord } from './token-record.js';

/** On what terms a token is prolonged. */
interface RenewalTerms {
  readonly terms: LifetimeTerms;
  readonly limits: LeaseLimits;
  readonly warnings?: readonly string[] | undefined;
}

/**
 * Prolongs a token. For one that came from a login, the auth method is asked again, on the login path, and its current terms
 * apply; the explicit maximum stays as it was at creation.
 *
 * @param increment - seconds that the owner asks for; 0 = what the terms say. Periodic tokens ignore it.
 * @throws AuthMethodError `invalid_request` for tokens that cannot be renewed, `permission_denied` when they may not, or
 * what the auth method throws
 */
export async function renewToken(
  authority: TokenAuthority,
  serverLimits: LeaseLimits,
  request: HostRequest,
  token: string,
  record: TokenRecord,
  increment: number,
): Promise<HostAnswer> {
  if (!record.renewable) throw new AuthMethodError('invalid_request', 'the token is not renewable');
  const { terms, limits, warnings }: RenewalTerms =
    record.mountId === undefined
      ? { terms: { ...record, maxTtl: 0 }, limits: serverLimits }
      : await askBackend(authority, request, record, record.mountId);

  const now = authority.clock.now();
  const age = Math.max(0, Math.ceil((now - record.createdAt) / 1000));
  const asked = { ...terms, ttl: increment || terms.ttl };
  const lifetime = grantLifetime(asked, limits, age);
  if (lifetime.ttl <= 0) throw new AuthMethodError('permission_denied', 'the token has reached its maximum lifetime');
  await authority.store.extend(record, {
    ttl: lifetime.ttl,
    period: terms.period,
    expiresAt: now + lifetime.ttl * 1000,
    renewedAt: now,
  });
  return withWarnings({ auth: describeGrant(token, record), warnings: lifetime.warnings }, warnings);
}

async function askBackend(
  authority: TokenAuthority,
  { id, remoteAddress }: HostRequest,
  record: TokenRecord,
  mountId: string,
): Promise<RenewalTerms> {
  const mount = authority.findMount(mountId);
  if (mount === undefined || record.auth === undefined) {
    throw new AuthMethodError('permission_denied', 'the auth method of the token is gone');
  }
  const response = await mount.backend.handleRequest({
    id,
    operation: 'renew',
    path: record.path.slice(`auth/${mount.record.path}/`.length),
    auth: record.auth,
    ...(remoteAddress !== undefined && { remoteAddress }),
  });
  if (response?.auth === undefined) throw new AuthMethodError('permission_denied', 'the auth method refused to renew');
  const { ttl, maxTtl, period } = response.auth;
  return {
    terms: { ttl, maxTtl, period, explicitMaxTtl: record.explicitMaxTtl },
    limits: mount.limits,
    warnings: response.warnings,
  };
}
