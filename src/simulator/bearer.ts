import { errors, jwtVerify } from 'jose';
import type { SigningKey } from './signing-keys.js';
import { issuerOf } from './tokens.js';
import type { IssueContext } from './tokens.js';

/** Who calls. */
export interface Caller {
  readonly clientId: string;
  readonly principalId: string;
}

/** Why a bearer token is not accepted, in the provider's words. */
export interface BearerRefusal {
  readonly code: string;
  readonly message: string;
}

/** What tokens are checked against. */
export interface BearerContext extends IssueContext {
  readonly signingKeys: readonly SigningKey[];
  /** Whether the token with that unique id was revoked. */
  isRevoked(uniqueId: string): boolean;
}

/** Verifies the `Authorization` header of a call to a service with these audiences. */
export async function verifyBearer(
  authorization: string | undefined,
  audience: readonly string[],
  context: BearerContext,
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
    const { payload } = await jwtVerify(token, ({ kid }) => publicKey(kid, context.signingKeys), {
      algorithms: ['RS256'],
      issuer: [issuerOf(1, tenantId, authorityHost), issuerOf(2, tenantId, authorityHost)],
      audience: [...audience],
      requiredClaims: ['exp', 'oid'],
      currentDate: new Date(context.now()),
    });
    if (context.isRevoked(String(payload['uti']))) {
      return refusal('InvalidAuthenticationToken', 'The access token has been revoked.');
    }
    return { clientId: String(payload['appid'] ?? payload['azp']), principalId: String(payload['oid']) };
  } catch (error) {
    return explain(error, audience);
  }
}

function publicKey(kid: string | undefined, keys: readonly SigningKey[]): SigningKey['publicKey'] {
  const key = keys.find((candidate) => candidate.kid === kid);
  if (key === undefined) throw new errors.JWKSNoMatchingKey();
  return key.publicKey;
}

function explain(error: unknown, audience: readonly string[]): BearerRefusal {
  if (error instanceof errors.JWTExpired) {
    return refusal('ExpiredAuthenticationToken', 'The access token expiry UTC time is earlier than current UTC time.');
  }
  const claim = error instanceof errors.JWTClaimValidationFailed ? error.claim : undefined;
  if (claim === 'aud') {
    const message = `The access token has been obtained for wrong audience or resource. It should exactly match with one of the allowed audiences '${audience.join("','")}'.`;
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
