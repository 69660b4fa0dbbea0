import { randomUUID } from 'node:crypto';
import { authenticateClient } from './client-authentication.js';
import type { Answer, Handler, SimulatedRequest } from './exchange.js';
import { IssuerKeys } from './issuer-keys.js';
import { APPLICATION_TOKEN_LIFETIME, applicationClaims, issuerOf } from './tokens.js';
import type { World } from './world.js';

/** The directory's sign-in service: discovery, key sets and token endpoints of versions 1 and 2. */
export function createAuthority(world: World): Handler {
  const issuerKeys = new IssuerKeys(world.now);
  return (request) => {
    const [tenant = '', ...rest] = request.path.slice(1).split('/');
    if (tenant.toLowerCase() !== world.tenantId.toLowerCase()) {
      return refusal(world, 400, 'invalid_tenant', 90002, `Tenant '${tenant}' not found.`);
    }
    switch (rest.join('/').toLowerCase()) {
      case '.well-known/openid-configuration':
        return discovery(1, request, world);
      case 'v2.0/.well-known/openid-configuration':
        return discovery(2, request, world);
      case 'discovery/keys':
        return { status: 200, body: { keys: world.signingKeys.map(({ jwk }) => jwk) } };
      case 'discovery/v2.0/keys': {
        const issuer = issuerOf(2, world.tenantId, request.baseUrl);
        return { status: 200, body: { keys: world.signingKeys.map(({ jwk }) => ({ ...jwk, issuer })) } };
      }
      case 'oauth2/token':
        return token(1, request, world, issuerKeys);
      case 'oauth2/v2.0/token':
        return token(2, request, world, issuerKeys);
      default:
        return { status: 404 };
    }
  };
}

function discovery(version: 1 | 2, request: SimulatedRequest, world: World): Answer {
  const tenant = `${request.baseUrl}/${world.tenantId}`;
  const inPath = version === 1 ? '' : '/v2.0';
  return {
    status: 200,
    body: {
      issuer: issuerOf(version, world.tenantId, request.baseUrl),
      authorization_endpoint: `${tenant}/oauth2${inPath}/authorize`,
      token_endpoint: `${tenant}/oauth2${inPath}/token`,
      token_endpoint_auth_methods_supported: ['client_secret_post', 'private_key_jwt'],
      jwks_uri: `${tenant}/discovery${inPath}/keys`,
      response_types_supported: ['code'],
      subject_types_supported: ['pairwise'],
      id_token_signing_alg_values_supported: ['RS256'],
    },
  };
}

async function token(version: 1 | 2, request: SimulatedRequest, world: World, issuerKeys: IssuerKeys): Promise<Answer> {
  if (request.method !== 'POST') {
    const text = `The endpoint only accepts POST requests. Received a ${request.method} request.`;
    return refusal(world, 400, 'invalid_request', 900561, text);
  }
  const form = new URLSearchParams(request.body);
  const audienceField = version === 1 ? 'resource' : 'scope';
  const missing = ['grant_type', 'client_id', audienceField].find((field) => !form.get(field));
  if (missing !== undefined) {
    const text = `The request body must contain the following parameter: '${missing}'.`;
    return refusal(world, 400, 'invalid_request', 900144, text);
  }
  if (form.get('grant_type') !== 'client_credentials') {
    const text = 'The app requested an unsupported grant type.';
    return refusal(world, 400, 'unsupported_grant_type', 70003, text);
  }
  const requested = form.get(audienceField) ?? '';
  const audience = version === 1 ? requested : audienceOfScope(requested);
  if (audience === undefined) {
    const text = `The provided value for scope ${requested} is not valid. Client credential flows must have a scope value with /.default suffixed to the resource identifier (application ID URI).`;
    return refusal(world, 400, 'invalid_scope', 1002012, text);
  }
  const clientId = form.get('client_id') ?? '';
  const application = world.application(clientId);
  if (application === undefined) {
    const text = `Application with identifier '${clientId}' was not found in the directory '${world.tenantId}'.`;
    return refusal(world, 400, 'unauthorized_client', 700016, text);
  }
  const proof = await authenticateClient(form, application, { issuerKeys, now: world.now() });
  if (typeof proof === 'object') return refusal(world, proof.status, proof.error, proof.code, proof.text);
  const accessToken = await world.issueToken(applicationClaims(application, { resource: audience }, world, proof));
  return version === 1 ? answerVersion1(accessToken, audience, world.now()) : answerVersion2(accessToken);
}

function audienceOfScope(scope: string): string | undefined {
  return /^\S+\/\.default$/.test(scope) ? scope.slice(0, -'/.default'.length) : undefined;
}

function answerVersion1(accessToken: string, resource: string, now: number): Answer {
  const seconds = Math.floor(now / 1000);
  const lifetime = String(APPLICATION_TOKEN_LIFETIME - 1);
  return {
    status: 200,
    headers: { 'cache-control': 'no-store' },
    body: {
      token_type: 'Bearer',
      expires_in: lifetime,
      ext_expires_in: lifetime,
      expires_on: String(seconds + APPLICATION_TOKEN_LIFETIME),
      not_before: String(seconds - 300),
      resource,
      access_token: accessToken,
    },
  };
}

function answerVersion2(accessToken: string): Answer {
  const lifetime = APPLICATION_TOKEN_LIFETIME - 1;
  return {
    status: 200,
    headers: { 'cache-control': 'no-store' },
    body: { token_type: 'Bearer', expires_in: lifetime, ext_expires_in: lifetime, access_token: accessToken },
  };
}

function refusal(world: World, status: number, error: string, code: number, text: string): Answer {
  const traceId = randomUUID();
  const correlationId = randomUUID();
  const timestamp = `${new Date(world.now()).toISOString().slice(0, 19).replace('T', ' ')}Z`;
  return {
    status,
    body: {
      error,
      error_description: `AADSTS${code}: ${text} Trace ID: ${traceId} Correlation ID: ${correlationId} Timestamp: ${timestamp}`,
      error_codes: [code],
      timestamp,
      trace_id: traceId,
      correlation_id: correlationId,
      error_uri: `https://login.microsoftonline.com/error?code=${code}`,
    },
  };
}
