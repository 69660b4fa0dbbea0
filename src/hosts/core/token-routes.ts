import { AuthMethodError } from '../../contract/index.js';
import { MAX_TOKEN_LENGTH } from './batch-tokens.js';
import { readChoice, readCount, readFlag, readList, readSeconds, readText, readTexts } from './body-fields.js';
import type { Body } from './body-fields.js';
import type { HostAnswer } from './host-request.js';
import type { LeaseLimits } from './lifetime.js';
import { normalizePolicies, ROOT_POLICY } from './policies.js';
import { renewToken } from './renewal.js';
import { byOperation } from './route.js';
import type { AdmittedRequest, Operations, Route } from './route.js';
import type { TokenAuthority } from './token-authority.js';
import type { TokenRecord } from './token-record.js';

/** Finds the route of a path below `auth/token/`; `undefined` where there is none. */
export function tokenRoute(path: string, authority: TokenAuthority, limits: LeaseLimits): Route | undefined {
  const both = (handler: Operations['write'] & object): Operations => ({ read: handler, write: handler });
  switch (path.replace(/\/$/, '')) {
    case 'lookup-self':
      return byOperation(
        'token',
        both(({ caller, token }) => lookUp(authority, token, caller)),
      );
    case 'renew-self':
      return byOperation('token', {
        write: (request) => renew(authority, limits, request, request.token, request.caller),
      });
    case 'revoke-self':
      return byOperation('token', { write: ({ caller }) => revoke(authority, caller) });
    case 'lookup':
      return byOperation('admin', {
        write: async ({ data }) => {
          const { token, record } = await named(authority, data);
          return lookUp(authority, token, record);
        },
      });
    case 'renew':
      return byOperation('admin', {
        write: async (request) => {
          const { token, record } = await named(authority, request.data);
          return renew(authority, limits, request, token, record);
        },
      });
    case 'revoke':
      return byOperation('admin', {
        write: async ({ data }) => revoke(authority, (await named(authority, data)).record),
      });
    case 'create':
      return byOperation('admin', { write: (request) => create(authority, limits, request) });
    default:
      return undefined;
  }
}

/** The token that a body names. */
async function named(authority: TokenAuthority, data: Body = {}): Promise<{ token: string; record: TokenRecord }> {
  const token = readText(data, 'token', MAX_TOKEN_LENGTH);
  if (!token) throw new AuthMethodError('invalid_request', 'token: is required', { field: 'token' });
  const record = await authority.find(token);
  if (record === undefined) throw new AuthMethodError('not_found', 'token: there is no such token', { field: 'token' });
  return { token, record };
}

async function create(authority: TokenAuthority, limits: LeaseLimits, request: AdmittedRequest): Promise<HostAnswer> {
  const { caller, data = {} } = request;
  // A token whose last use this is has ended already.
  if (authority.store.find(request.token) === undefined || caller.usesLeft > 0) {
    throw new AuthMethodError('invalid_request', 'batch tokens and tokens with a number of uses cannot make tokens');
  }
  const asked = readList(data, 'policies');
  const policies = asked.length > 0 ? asked : caller.policies;
  const callerIsRoot = caller.policies.includes(ROOT_POLICY);
  if (!callerIsRoot && normalizePolicies(policies, true).includes(ROOT_POLICY)) {
    throw new AuthMethodError('permission_denied', 'only a root token can give the policy root', { rule: 'root_only' });
  }
  const type = readChoice(data, 'type', ['service', 'batch']) ?? 'service';
  const terms = {
    policies,
    noDefaultPolicy: readFlag(data, 'no_default_policy'),
    ttl: readSeconds(data, 'ttl') ?? 0,
    maxTtl: 0,
    explicitMaxTtl: readSeconds(data, 'explicit_max_ttl') ?? 0,
    period: readSeconds(data, 'period') ?? 0,
    numUses: readCount(data, 'num_uses') ?? 0,
  };
  // What a root token makes outlives the process that holds that root token.
  const orphan = callerIsRoot || readFlag(data, 'no_parent') || type === 'batch';
  const fixed = data['renewable'] !== undefined && data['renewable'] !== null && !readFlag(data, 'renewable');
  return authority.grant(type, terms, limits, {
    metadata: readTexts(data, 'meta'),
    displayName: ['token', readText(data, 'display_name')].filter(Boolean).join('-'),
    entityId: caller.entityId,
    path: 'auth/token/create',
    mountId: undefined,
    auth: undefined,
    boundCidrs: caller.boundCidrs,
    renewable: type === 'service' && !fixed,
    parent: orphan ? undefined : caller.hash,
  });
}

async function renew(
  authority: TokenAuthority,
  limits: LeaseLimits,
  request: AdmittedRequest,
  token: string,
  record: TokenRecord,
): Promise<HostAnswer> {
  const increment = readSeconds(request.data ?? {}, 'increment') ?? 0;
  return renewToken(authority, limits, request, token, record, increment);
}

async function revoke(authority: TokenAuthority, record: TokenRecord): Promise<undefined> {
  if (record.type === 'batch') throw new AuthMethodError('invalid_request', 'batch tokens cannot be revoked');
  await authority.store.revoke(record);
  return undefined;
}

function lookUp(authority: TokenAuthority, token: string, record: TokenRecord): HostAnswer {
  const { expiresAt, renewedAt, period } = record;
  const left = expiresAt === 0 ? 0 : Math.max(0, Math.floor((expiresAt - authority.clock.now()) / 1000));
  return {
    data: {
      accessor: record.accessor,
      creation_time: Math.floor(record.createdAt / 1000),
      creation_ttl: record.creationTtl,
      display_name: record.displayName,
      entity_id: record.entityId,
      expire_time: expiresAt === 0 ? null : isoTime(expiresAt),
      explicit_max_ttl: record.explicitMaxTtl,
      id: token,
      issue_time: isoTime(record.createdAt),
      ...(renewedAt !== undefined && {
        last_renewal: isoTime(renewedAt),
        last_renewal_time: Math.floor(renewedAt / 1000),
      }),
      meta: record.metadata,
      num_uses: record.usesLeft,
      orphan: record.parent === undefined,
      path: record.path,
      ...(period > 0 && { period }),
      policies: record.policies,
      renewable: record.renewable,
      ttl: left,
      type: record.type,
      ...(record.boundCidrs.length > 0 && { bound_cidrs: record.boundCidrs }),
    },
  };
}

function isoTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
