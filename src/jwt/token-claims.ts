import type { IdentityClaims } from '../contract/index.js';
import type { Issuer } from './discovery.js';
import { isJsonObject, member } from './strict-json.js';
import type { JsonObject } from './strict-json.js';
import { refusal } from './token-rules.js';
import type { TokenRule } from './token-rules.js';
import { TOKEN_VERSIONS } from './token-version.js';

/** Seconds by which the directory's clock and ours may differ. */
export const CLOCK_TOLERANCE = 30;

/** End of the year 9999 in seconds since the Unix epoch; dates beyond it are mistakes or tricks. */
const LATEST_TIME = 253_402_300_799;
const MAX_PRINCIPAL_LENGTH = 256;
const MAX_QUOTED_LENGTH = 128;
// The parser lets escaped control characters and halves of surrogate pairs through.
const UNPRINTABLE = /[\p{Cc}\p{Cs}]/u;

/** What the claims are held against. */
export interface Expectation {
  /** The issuer whose key signed the token. */
  readonly issuer: Issuer;
  /** Audience that the token must carry. */
  readonly audience: string;
  /** Now, in whole seconds since the Unix epoch. */
  readonly now: number;
}

/** When a token is valid, in seconds since the Unix epoch. */
export interface TokenTimes {
  readonly expiry: number;
  readonly notBefore: number | undefined;
  readonly issuedAt: number | undefined;
}

/** What a token says once all its rules are applied, and when it says so. */
export interface AcceptedClaims {
  readonly identity: IdentityClaims;
  readonly times: TokenTimes;
}

/** Applies the rules from `token-issuer` on to the claims of a token whose signature is verified. */
export function readClaims(claims: JsonObject, expected: Expectation): AcceptedClaims {
  checkIssuer(claims, expected.issuer);
  checkTenant(claims, expected.issuer);
  checkVersion(claims, expected.issuer);
  checkAudience(claims, expected.audience);
  const times = readTimes(claims);
  checkTimes(times, expected.now);
  const objectId = readPrincipal(claims);
  const applicationId = readApplication(claims, expected.issuer);
  const groups = readGroups(claims);
  const resourceId = readText(claims, 'xms_az_rid', 'token-resource');
  const managedIdentityId = readText(claims, 'xms_mirid', 'token-resource');
  const identity = {
    objectId,
    groupOverage: hasGroupOverage(claims),
    expiresAt: times.expiry,
    ...(applicationId === undefined ? {} : { applicationId }),
    ...(groups === undefined ? {} : { groups }),
    ...(resourceId === undefined ? {} : { resourceId }),
    ...(managedIdentityId === undefined ? {} : { managedIdentityId }),
  };
  return { identity, times };
}

/** The rules that depend on when they are asked: `token-expiry`, `token-not-before`, `token-issued-at`. */
export function checkTimes({ expiry, notBefore, issuedAt }: TokenTimes, now: number): void {
  if (expiry <= now - CLOCK_TOLERANCE) throw refusal('token-expiry', 'The token has expired.');
  if (notBefore !== undefined && notBefore > now + CLOCK_TOLERANCE) {
    throw refusal('token-not-before', 'The token is not valid yet.');
  }
  if (issuedAt !== undefined && issuedAt > now + CLOCK_TOLERANCE) {
    throw refusal('token-issued-at', 'The token was issued in the future.');
  }
}

function checkIssuer(claims: JsonObject, issuer: Issuer): void {
  if (member(claims, 'iss') !== issuer.name) {
    throw refusal('token-issuer', "The token's iss must be the configured tenant's issuer.");
  }
}

function checkTenant(claims: JsonObject, issuer: Issuer): void {
  const tenant = member(claims, 'tid');
  if (tenant !== undefined && !(typeof tenant === 'string' && tenant.toLowerCase() === issuer.tenantId)) {
    throw refusal('token-tenant', "The token's tid must be the configured tenant.");
  }
}

function checkVersion(claims: JsonObject, issuer: Issuer): void {
  const version = member(claims, 'ver');
  const wanted = TOKEN_VERSIONS[issuer.version].claim;
  if (version !== undefined && version !== wanted) {
    throw refusal('token-version', `The token's ver must be "${wanted}", the version of its issuer.`);
  }
}

function checkAudience(claims: JsonObject, wanted: string): void {
  const audience = member(claims, 'aud');
  const audiences: readonly unknown[] = Array.isArray(audience) ? audience : [audience];
  if (!audiences.every((one) => typeof one === 'string')) {
    throw refusal('token-audience', "The token's aud must be a string or an array of strings.");
  }
  const trimmed = withoutSlash(wanted);
  if (!audiences.some((one) => withoutSlash(one) === trimmed)) {
    throw refusal('token-audience', `The token's aud is ${quote(audience)}; it must be ${quote(wanted)}.`);
  }
}

function withoutSlash(audience: string): string {
  return audience.endsWith('/') ? audience.slice(0, -1) : audience;
}

/** For the one claim that errors show: operators mistype it all the time. */
function quote(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length <= MAX_QUOTED_LENGTH ? text : `${text.slice(0, MAX_QUOTED_LENGTH)}...`;
}

function readTimes(claims: JsonObject): TokenTimes {
  const expiry = readTime(claims, 'exp', 'token-expiry');
  if (expiry === undefined) throw refusal('token-expiry', 'The token must have exp.');
  return {
    expiry,
    notBefore: readTime(claims, 'nbf', 'token-not-before'),
    issuedAt: readTime(claims, 'iat', 'token-issued-at'),
  };
}

function readTime(claims: JsonObject, name: string, rule: TokenRule): number | undefined {
  const time = member(claims, name);
  if (time === undefined) return undefined;
  if (typeof time !== 'number' || !Number.isSafeInteger(time) || time > LATEST_TIME) {
    throw refusal(rule, `The token's ${name} must be a whole number of seconds up to the year 9999.`);
  }
  return time;
}

function readPrincipal(claims: JsonObject): string {
  const principal = member(claims, 'oid');
  if (
    typeof principal !== 'string' ||
    principal === '' ||
    principal.length > MAX_PRINCIPAL_LENGTH ||
    UNPRINTABLE.test(principal)
  ) {
    throw refusal('token-principal', `The token's oid must be 1 to ${MAX_PRINCIPAL_LENGTH} printable characters.`);
  }
  return principal;
}

function readApplication(claims: JsonObject, issuer: Issuer): string | undefined {
  return readText(claims, TOKEN_VERSIONS[issuer.version].applicationClaim, 'token-application');
}

function readGroups(claims: JsonObject): readonly string[] | undefined {
  const groups = member(claims, 'groups');
  if (groups === undefined) return undefined;
  if (!Array.isArray(groups) || !groups.every((group) => typeof group === 'string')) {
    throw refusal('token-groups', "The token's groups must be an array of strings.");
  }
  return groups;
}

function hasGroupOverage(claims: JsonObject): boolean {
  const elsewhere = member(claims, '_claim_names');
  return member(claims, 'hasgroups') === true || (isJsonObject(elsewhere) && Object.hasOwn(elsewhere, 'groups'));
}

function readText(claims: JsonObject, name: string, rule: TokenRule): string | undefined {
  const text = member(claims, name);
  if (text !== undefined && typeof text !== 'string') throw refusal(rule, `The token's ${name} must be a string.`);
  return text;
}
