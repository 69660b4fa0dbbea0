import { randomBytes } from 'node:crypto';
import type { Actor, Identities } from './identities.js';
import type { Principal } from './resources.js';
import type { UserAssignedIdentity } from './user-assigned-identities.js';

/** Claims of a token. */
export type Claims = Record<string, unknown>;

/** Seconds that a managed identity's token lives (spec section 8). */
export const MACHINE_TOKEN_LIFETIME = 86_400;

/** Seconds that an application's token lives. */
export const APPLICATION_TOKEN_LIFETIME = 3_600;

/** Issuer and time of tokens. */
export interface IssueContext {
  readonly tenantId: string;
  /** Base URL of the authority, for issuers of version 2. */
  readonly authorityHost: string;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
  /** What the unique ids of tokens begin with. */
  readonly tokenSeries: string;
}

/** How to make a token. */
export interface TokenOptions {
  /** Audience. */
  readonly resource: string;
  /** Default: 1, which is what metadata services hand out for most audiences. */
  readonly version?: 1 | 2;
  /** Ids for `groups`; or how to say that there are too many: by `_claim_names` and `_claim_sources`, or by `hasgroups`. */
  readonly groups?: readonly string[] | 'overage' | 'hasgroups';
  /** Claims to set, whatever they then say. */
  readonly overrides?: Readonly<Claims>;
  /** Claims to leave out. */
  readonly omit?: readonly string[];
}

/** How to make the token of a resource that has identities. */
export interface ResourceTokenOptions extends TokenOptions {
  /** Identity to act as. Default: the resource's own, or else the only one attached. */
  readonly identity?: 'system' | UserAssignedIdentity;
}

/** Issuer of version 1 or 2. The first is the same for all clouds that the simulator stands in for. */
export function issuerOf(version: 1 | 2, tenantId: string, authorityHost: string): string {
  return version === 1 ? `https://sts.windows.net/${tenantId}/` : `${authorityHost}/${tenantId}/v2.0`;
}

/** The identity that a resource acts as when nobody chooses; `undefined` when that is none or not clear. */
export function defaultIdentity(identities: Identities): 'system' | UserAssignedIdentity | undefined {
  if (identities.systemAssigned) return 'system';
  return identities.userAssigned.length === 1 ? identities.userAssigned[0] : undefined;
}

/**
 * Claims of the token of a resource that has identities.
 * @throws Error when it does not have the identity, or more than one and none is chosen.
 */
export function resourceClaims(resource: Actor, options: ResourceTokenOptions, context: IssueContext): Claims {
  const chosen = options.identity ?? defaultIdentity(resource);
  const principal = chosen === 'system' ? resource.systemAssigned : chosen;
  if (chosen === undefined || principal === undefined) {
    throw new Error(`choose one of the identities of ${resource.name}: it has no single one to act as`);
  }
  const { identityOwner, tokenRequester } = resource;
  const claims = {
    ...appOnlyClaims(principal, options, '2', MACHINE_TOKEN_LIFETIME, context),
    ...(tokenRequester !== undefined && { xms_az_rid: claimedId(tokenRequester) }),
    xms_mirid: claimedId(chosen === 'system' ? identityOwner : chosen.id),
  };
  return bend(claims, options);
}

/** Claims of a token that a workload outside the cloud's resources, such as a federated pod, got for an identity. */
export function identityClaims(identity: UserAssignedIdentity, options: TokenOptions, context: IssueContext): Claims {
  const claims = appOnlyClaims(identity, options, '2', MACHINE_TOKEN_LIFETIME, context);
  return bend({ ...claims, xms_mirid: claimedId(identity.id) }, options);
}

/** Claims of a token that an application got for its client secret, or for an assertion in its place. */
export function applicationClaims(
  principal: Principal,
  options: TokenOptions,
  context: IssueContext,
  proof: 'secret' | 'assertion' = 'secret',
): Claims {
  const clientAuthentication = proof === 'secret' ? '1' : '2';
  return bend(appOnlyClaims(principal, options, clientAuthentication, APPLICATION_TOKEN_LIFETIME, context), options);
}

function bend(claims: Claims, { overrides, omit }: TokenOptions): Claims {
  return Object.fromEntries(Object.entries({ ...claims, ...overrides }).filter(([name]) => !omit?.includes(name)));
}

function appOnlyClaims(
  { principalId, clientId }: Principal,
  { resource, version = 1, groups }: TokenOptions,
  clientAuthentication: string,
  lifetime: number,
  context: IssueContext,
): Claims {
  const now = Math.floor(context.now() / 1000);
  const issuer = issuerOf(version, context.tenantId, context.authorityHost);
  return {
    aud: resource,
    iss: issuer,
    // The directory dates tokens back by five minutes.
    iat: now - 300,
    nbf: now - 300,
    exp: now + lifetime,
    aio: randomBytes(24).toString('base64'),
    ...(version === 1
      ? { appid: clientId, appidacr: clientAuthentication, idp: issuer }
      : { azp: clientId, azpacr: clientAuthentication }),
    ...groupClaims(groups, principalId, context.tenantId),
    idtyp: 'app',
    oid: principalId,
    rh: `1.${randomBytes(30).toString('base64url')}.`,
    sub: principalId,
    tid: context.tenantId,
    uti: context.tokenSeries + randomBytes(12).toString('base64url'),
    ver: `${version}.0`,
  };
}

function groupClaims(groups: TokenOptions['groups'], principalId: string, tenantId: string): Claims {
  if (groups === undefined) return {};
  if (groups === 'hasgroups') return { hasgroups: true };
  if (groups !== 'overage') return { groups };
  const endpoint = `https://graph.windows.net/${tenantId}/servicePrincipals/${principalId}/getMemberObjects`;
  return { _claim_names: { groups: 'src1' }, _claim_sources: { src1: { endpoint } } };
}

/** Tokens spell `resourcegroups` in lower case and leave the rest as it is. */
function claimedId(id: string): string {
  return id.replace('/resourceGroups/', '/resourcegroups/');
}
