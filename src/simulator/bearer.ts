import { errors, jwtVerify } from 'jose';
import { RESOURCE_MANAGER_HOSTS } from './routing.js';
import type { SigningKey } from './signing-keys.js';
import { issuerOf } from './tokens.js';
import type { IssueContext } from './tokens.js';

/** Who calls the resource manager. */
export interface Caller {
  readonly clientId: string;
  readonly principalId: string;
}

/** Why a bearer token is not accepted, in the resource manager's words. */
export interface BearerRefusal {
  readonly code: string;
  readonly message: string;
}

const AUDIENCES = RESOURCE_MANAGER_HOSTS.flatMap((host) => [`https://${host}`, `https://${host}/`]);

/** Verifies the `Authorization` header of a call to the resource manager. */
export async function verifyBearer(
  authorization: string | undefined,
  keys: readonly SigningKey[],
  context: IssueContext,
): Promise<Caller | BearerRefusal> {
  if (authorization === undefined) {
    return refusal('AuthenticationFailed', "Authentication failed. The 'Authorization' header is missing.");
  }
  const token = /^Bearer (\S+)$/i.exec(authorization)?.[1];
  if (token === undefined) {
    return refusal(
      'AuthenticationFailedInvalidHeader',
      "Authentication failed. The 'Authorization' header is provided in an invalid format.",
    );
  }
  const { tenantId, authorityHost } = context;
  try {
    const { payload } = await jwtVerify(token, ({ kid }) => publicKey(kid, keys), {
      algorithms: ['RS256'],
      issuer: [issuerOf(1, tenantId, authorityHost), issuerOf(2, tenantId, authorityHost)],
      audience: AUDIENCES,
      requiredClaims: ['exp', 'oid'],
      currentDate: new Date(context.now()),
    });
    return { clientId: String(payload['appid'] ?? payload['azp']), principalId: String(payload['oid']) };
  } catch (error) {
    return explain(error);
  }
}

function publicKey(kid: string | undefined, keys: readonly SigningKey[]): SigningKey['publicKey'] {
  const key = keys.find((candidate) => candidate.kid === kid);
  if (key === undefined) throw new errors.JWKSNoMatchingKey();
  return key.publicKey;
}

function explain(error: unknown): BearerRefusal {
  if (error instanceof errors.JWTExpired) {
    return refusal('ExpiredAuthenticationToken', 'The access token expiry UTC time is earlier than current UTC time.');
  }
  const claim = error instanceof errors.JWTClaimValidationFailed ? error.claim : undefined;
  if (claim === 'aud') {
    const message = `The access token has been obtained for wrong audience or resource. It should exactly match with one of the allowed audiences '${AUDIENCES.join("','")}'.`;
    return refusal('InvalidAuthenticationTokenAudience', message);
  }
  if (claim === 'iss') {
    return refusal('InvalidAuthenticationTokenTenant', 'The access token is from the wrong issuer.');
  }
  return refusal('InvalidAuthenticationToken', 'The access token is invalid.');
}

function refusal(code: string, message: string): BearerRefusal {
  return { code, message };
}
