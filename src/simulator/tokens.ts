import { randomBytes } from 'node:crypto';
import type { Principal, Resource } from './resources.js';
import type { UserAssignedIdentity } from './user-assigned-identities.js';
import type { Machine } from './virtual-machines.js';

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
}

/** How to make a machine's token. */
export interface MachineTokenOptions {
  /** Identity to act as. Default: the machine's own, or else the only one attached. */
  readonly identity?: 'system' | UserAssignedIdentity;
  /** Audience. */
  readonly resource: string;
  /** Default: 1, which is what metadata services hand out for most audiences. */
  readonly version?: 1 | 2;
  /** Claims to set, whatever they then say. */
  readonly overrides?: Readonly<Claims>;
  /** Claims to leave out. */
  readonly omit?: readonly string[];
}

/** Issuer of version 1 or 2. The first is the same for all clouds that the simulator stands in for. */
export function issuerOf(version: 1 | 2, tenantId: string, authorityHost: string): string {
  return version === 1 ? `https://sts.windows.net/${tenantId}/` : `${authorityHost}/${tenantId}/v2.0`;
}

/** The identity that a machine acts as when nobody chooses; `undefined` when that is none or not clear. */
export function defaultIdentity(machine: Machine): 'system' | UserAssignedIdentity | undefined {
  if (machine.systemAssigned) return 'system';
  return machine.userAssigned.length === 1 ? machine.userAssigned[0] : undefined;
}

/**
 * Claims of a machine's token.
 * @throws Error when the machine does not have the identity, or more than one and none is chosen.
 */
export function machineClaims(machine: Machine, options: MachineTokenOptions, context: IssueContext): Claims {
  const chosen = options.identity ?? defaultIdentity(machine);
  const principal = chosen === 'system' ? machine.systemAssigned : chosen;
  if (chosen === undefined || principal === undefined) {
    throw new Error(`choose one of the identities of ${machine.name}: it has no single one to act as`);
  }
  const claims = {
    ...appOnlyClaims(principal, options.resource, options.version ?? 1, '2', MACHINE_TOKEN_LIFETIME, context),
    xms_az_rid: claimedId(machine),
    xms_mirid: claimedId(chosen === 'system' ? machine : chosen),
    ...options.overrides,
  };
  return Object.fromEntries(Object.entries(claims).filter(([name]) => !options.omit?.includes(name)));
}

/** Claims of a token that an application got for its client secret. */
export function applicationClaims(principal: Principal, audience: string, context: IssueContext): Claims {
  return appOnlyClaims(principal, audience, 1, '1', APPLICATION_TOKEN_LIFETIME, context);
}

function appOnlyClaims(
  { principalId, clientId }: Principal,
  audience: string,
  version: 1 | 2,
  clientAuthentication: string,
  lifetime: number,
  context: IssueContext,
): Claims {
  const now = Math.floor(context.now() / 1000);
  const issuer = issuerOf(version, context.tenantId, context.authorityHost);
  return {
    aud: audience,
    iss: issuer,
    // The directory dates tokens back by five minutes.
    iat: now - 300,
    nbf: now - 300,
    exp: now + lifetime,
    aio: randomBytes(24).toString('base64'),
    ...(version === 1
      ? { appid: clientId, appidacr: clientAuthentication, idp: issuer }
      : { azp: clientId, azpacr: clientAuthentication }),
    idtyp: 'app',
    oid: principalId,
    rh: `1.${randomBytes(30).toString('base64url')}.`,
    sub: principalId,
    tid: context.tenantId,
    uti: randomBytes(16).toString('base64url'),
    ver: `${version}.0`,
  };
}

/** Tokens spell `resourcegroups` in lower case and leave the rest as it is. */
function claimedId(resource: Resource): string {
  return resource.id.replace('/resourceGroups/', '/resourcegroups/');
}
