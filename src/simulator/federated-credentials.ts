import { decodeJwt, decodeProtectedHeader, errors, jwtVerify } from 'jose';
import type { JWTPayload, JWTVerifyOptions } from 'jose';
import type { AssertionIssuer, IssuerKeys } from './issuer-keys.js';

/** Whose assertions an application is taken for. All is compared to the letter. */
export interface FederatedCredential extends AssertionIssuer {
  /** `sub` of the assertions. */
  readonly subject: string;
  /** One of them must be the assertion's only audience. */
  readonly audiences: readonly string[];
}

/** Why a client is not taken for the application that it says it is, in the provider's words. */
export interface ClientRefusal {
  readonly status: number;
  readonly error: string;
  /** The number after `AADSTS`. */
  readonly code: number;
  readonly text: string;
}

/** What {@link checkAssertion} takes. */
export interface AssertionContext {
  readonly clientId: string;
  readonly credentials: readonly FederatedCredential[];
  readonly issuerKeys: IssuerKeys;
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
}

/** Checks an assertion that somebody shows in place of a client secret; `undefined` when it is accepted. */
export async function checkAssertion(assertion: string, context: AssertionContext): Promise<ClientRefusal | undefined> {
  let claims: JWTPayload;
  let kid: string | undefined;
  try {
    claims = decodeJwt(assertion);
    ({ kid } = decodeProtectedHeader(assertion));
  } catch {
    return malformed();
  }

  const credential = matchCredential(claims, context);
  if ('code' in credential) return credential;

  let key: Awaited<ReturnType<IssuerKeys['find']>>;
  try {
    key = await context.issuerKeys.find(credential, kid);
  } catch {
    return refusal(501661, 'Request to External OIDC endpoint failed.', 400, 'invalid_request');
  }
  if (key === undefined) {
    const text = `The certificate with identifier ${kid ?? ''} used to sign the federated credential could not be found in the metadata of identity provider ${credential.issuer}. Please validate that your Identity Provider's metadata exposes the key used to sign the incoming token.`;
    return refusal(7000272, text);
  }

  const rules: JWTVerifyOptions = {
    algorithms: ['RS256'],
    requiredClaims: ['exp'],
    currentDate: new Date(context.now),
  };
  return jwtVerify(assertion, key, rules).then(() => undefined, explain);
}

function matchCredential(
  { iss, sub, aud }: JWTPayload,
  { clientId, credentials }: AssertionContext,
): FederatedCredential | ClientRefusal {
  if (credentials.length === 0) {
    return refusal(70025, `The client '${clientId}' has no configured federated identity credentials.`);
  }
  const ofIssuer = credentials.filter(({ issuer }) => issuer === iss);
  if (ofIssuer.length === 0) return noMatch(700211, 'issuer', iss);
  const ofSubject = ofIssuer.filter(({ subject }) => subject === sub);
  if (ofSubject.length === 0) return noMatch(700213, 'subject', sub);
  const presented = [aud ?? []].flat();
  const [audience = ''] = presented.length === 1 ? presented : [];
  const match = ofSubject.find(({ audiences }) => audiences.includes(audience));
  return match ?? noMatch(700212, 'audience', presented.join(', '));
}

function noMatch(code: number, what: string, value: string | undefined): ClientRefusal {
  const text = `No matching federated identity record found for presented assertion ${what} '${value ?? ''}'. Check your federated identity credential Subject, Audience and Issuer against the presented assertion. https://learn.microsoft.com/entra/workload-id/workload-identity-federation`;
  return refusal(code, text);
}

function explain(error: unknown): ClientRefusal {
  if (error instanceof errors.JWSSignatureVerificationFailed) {
    return refusal(700027, 'Client assertion contains an invalid signature.');
  }
  if (
    error instanceof errors.JWTExpired ||
    (error instanceof errors.JWTClaimValidationFailed && error.claim === 'nbf')
  ) {
    return refusal(700024, 'Client assertion is not within its valid time range.');
  }
  return malformed();
}

function malformed(): ClientRefusal {
  return refusal(50027, 'JWT token is invalid or malformed.', 400, 'invalid_request');
}

function refusal(code: number, text: string, status = 401, error = 'invalid_client'): ClientRefusal {
  return { status, error, code, text };
}
