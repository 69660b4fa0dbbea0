import { addressBlocks, AuthMethodError, isAddressBlock } from '../../contract/index.js';
import type { Auth, Clock, Response } from '../../contract/index.js';
import type { BatchTokens } from './batch-tokens.js';
import { entityId } from './entity-id.js';
import type { GrantedAuth, HostAnswer } from './host-request.js';
import { grantLifetime } from './lifetime.js';
import type { LeaseLimits, LifetimeTerms } from './lifetime.js';
import type { Mount } from './mount.js';
import { normalizePolicies, ROOT_POLICY } from './policies.js';
import type { TokenRecord } from './token-record.js';
import type { TokenStore } from './token-store.js';

/** What decides about a new token, as logins and operators give it. */
export interface TokenTerms extends LifetimeTerms {
  readonly policies: readonly string[];
  readonly noDefaultPolicy: boolean;
  readonly numUses: number;
}

/** The parts of a new token's record that are taken as they are. */
export type TokenOrigin = Pick<
  TokenRecord,
  'metadata' | 'displayName' | 'entityId' | 'path' | 'mountId' | 'auth' | 'parent' | 'boundCidrs' | 'renewable'
>;

/** Makes tokens of both kinds and recognises them. */
export class TokenAuthority {
  constructor(
    readonly store: TokenStore,
    readonly batch: BatchTokens,
    readonly clock: Clock,
    /** Finds a live mount by its id. */
    readonly findMount: (mountId: string) => Mount | undefined,
  ) {}

  /** The record of a valid token, whoever asks; `undefined` for anything else. */
  async find(token: string): Promise<TokenRecord | undefined> {
    const record = this.store.find(token) ?? (await this.batch.find(token));
    const vouchedFor = record?.mountId === undefined || this.findMount(record.mountId) !== undefined;
    return vouchedFor ? record : undefined;
  }

  /** The record of the token that a request came with, which counts as a use. Rejects with `permission_denied`. */
  async authenticate(
    token: string | undefined,
    remoteAddress: string | undefined,
  ): Promise<{ token: string; caller: TokenRecord }> {
    if (token === undefined) throw denied('token_missing');
    // Found and spent without a pause in between, or concurrent requests would share the last use.
    const stored = this.store.find(token);
    const caller = stored ?? (await this.find(token));
    if (caller === undefined) throw denied('token_unknown');
    if (!isInside(caller.boundCidrs, remoteAddress)) throw denied('token_bound_cidrs');
    if (stored !== undefined) await this.store.spend(stored);
    return { token, caller };
  }

  /** Turns a login into a token. `path` is the whole path of the login. */
  async grantLogin(mount: Mount, response: Response & { auth: Auth }, path: string): Promise<HostAnswer> {
    const { auth } = response;
    if (!mount.live) throw new AuthMethodError('not_found', 'the auth method was disabled meanwhile');
    const type = mount.resolveTokenType(auth.tokenType);
    if (type === 'batch' && (auth.numUses > 0 || auth.period > 0)) {
      throw new AuthMethodError('invalid_request', 'batch tokens take neither a number of uses nor a period');
    }
    const { id, accessor, path: mountPath } = mount.record;
    const granted = await this.grant(type, auth, mount.limits, {
      metadata: auth.metadata,
      displayName: `${mountPath.replaceAll('/', '-')}-${auth.displayName}`,
      entityId: entityId(accessor, auth.alias.name),
      path,
      mountId: id,
      auth,
      parent: undefined,
      boundCidrs: auth.boundCidrs,
      renewable: auth.renewable && type === 'service',
    });
    return withWarnings(granted, response.warnings);
  }

  /** Makes a token on the given terms. Whether the caller may ask for them is checked before. */
  async grant(
    type: 'service' | 'batch',
    terms: TokenTerms,
    limits: LeaseLimits,
    origin: TokenOrigin,
  ): Promise<HostAnswer> {
    const policies = normalizePolicies(terms.policies, terms.noDefaultPolicy);
    if (origin.mountId !== undefined && policies.includes(ROOT_POLICY)) {
      throw new AuthMethodError('permission_denied', 'an auth method cannot give the policy root');
    }
    if (!origin.boundCidrs.every(isAddressBlock)) {
      throw new AuthMethodError('invalid_request', 'the token is bound to something that is no address block');
    }
    const now = this.clock.now();
    const { ttl, warnings } = grantLifetime(terms, limits, 0);
    // Written out: every login makes one, and objects put together from parts are slow ones.
    const record: TokenRecord = {
      type,
      hash: '',
      accessor: '',
      policies,
      metadata: origin.metadata,
      displayName: origin.displayName,
      entityId: origin.entityId,
      path: origin.path,
      mountId: origin.mountId,
      auth: origin.auth,
      parent: origin.parent,
      boundCidrs: origin.boundCidrs,
      renewable: origin.renewable,
      createdAt: now,
      creationTtl: ttl,
      explicitMaxTtl: terms.explicitMaxTtl,
      ttl,
      period: terms.period,
      expiresAt: now + ttl * 1000,
      renewedAt: undefined,
      usesLeft: terms.numUses,
    };
    const token = await (type === 'batch' ? this.batch : this.store).create(record);
    return withWarnings({ auth: describeGrant(token, record) }, warnings);
  }
}

/** What the owner of a token is told about it. */
export function describeGrant(token: string, record: TokenRecord): GrantedAuth {
  return {
    clientToken: token,
    accessor: record.accessor,
    policies: record.policies,
    metadata: record.metadata,
    leaseDuration: record.ttl,
    renewable: record.renewable,
    entityId: record.entityId,
    tokenType: record.type,
    orphan: record.parent === undefined,
    numUses: record.usesLeft,
  };
}

/** Puts the warnings of a backend before those of the host. */
export function withWarnings(answer: HostAnswer, warnings: readonly string[] = []): HostAnswer {
  const all = [...warnings, ...(answer.warnings ?? [])];
  return all.length === 0 ? answer : { ...answer, warnings: all };
}

function isInside(blocks: readonly string[], address: string | undefined): boolean {
  if (blocks.length === 0) return true;
  return address !== undefined && addressBlocks(blocks).contains(address);
}

/** One text for every reason: whoever holds no valid token learns nothing. The log has the rule. */
function denied(rule: string): AuthMethodError {
  return new AuthMethodError('permission_denied', 'permission denied', { rule });
}
