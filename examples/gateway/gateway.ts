import { randomUUID } from 'node:crypto';
import { AuthMethodError, toPublicError } from 'cloud-identity-auth';
import type { Backend, Request } from 'cloud-identity-auth';
import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { exportJWK, SignJWT } from 'jose';
import type { CryptoKey, GenerateKeyPairResult } from 'jose';

/** What the gateway is made of. */
export interface GatewayOptions {
  /** The method, configured and with its roles. */
  readonly backend: Backend;
  /** Key pair that signs the gateway's own tokens (ES256). */
  readonly keys: GenerateKeyPairResult;
  readonly issuer: string;
  /** The gateway's own rule, beyond the role's: machines that may not come in now. */
  readonly isLockedOut: (machine: string) => boolean;
  /** IP address of a request's sender. */
  readonly addressOf: (request: globalThis.Request) => string | undefined;
}

const MAX_BODY = 64 * 1024;
const LIFETIME = '10m';
const KEY_ID = 'gateway';

/** A gateway that wraps the login: it adds a rule of its own and issues its own signed token instead of a service token. */
export function createGateway({ backend, keys, issuer, isLockedOut, addressOf }: GatewayOptions): Hono {
  const app = new Hono();

  const limit = bodyLimit({ maxSize: MAX_BODY, onError: refuseBody });

  app.post('/login', limit, async (context) => {
    const id = randomUUID();
    const remoteAddress = addressOf(context.req.raw);
    const request: Request = {
      id,
      operation: 'update',
      path: 'login',
      data: await bodyOf(context.req.raw),
      ...(remoteAddress !== undefined && { remoteAddress }),
    };
    const auth = (await backend.handleRequest(request))?.auth;
    const machine = auth?.metadata['vm_name'];
    // Metadata holds verified values only, so a rule may go by it.
    if (auth === undefined || machine === undefined || isLockedOut(machine)) {
      throw new AuthMethodError('login_denied', 'the machine is locked out of the gateway');
    }
    const token = await sign(keys.privateKey, issuer, { machine, policies: auth.policies, jti: id }, auth.alias.name);
    return context.json({ token });
  });

  app.get('/.well-known/jwks.json', async (context) => {
    const key = { ...(await exportJWK(keys.publicKey)), kid: KEY_ID, alg: 'ES256', use: 'sig' };
    return context.json({ keys: [key] });
  });

  app.onError((error, context) => {
    const { status, message } = toPublicError(error);
    return context.json({ errors: [message] }, status as 400);
  });
  return app;
}

function sign(key: CryptoKey, issuer: string, claims: Record<string, unknown>, subject: string): Promise<string> {
  return new SignJWT(claims)
    .setProtectedHeader({ alg: 'ES256', kid: KEY_ID })
    .setIssuer(issuer)
    .setSubject(subject)
    .setIssuedAt()
    .setExpirationTime(LIFETIME)
    .sign(key);
}

function refuseBody(): never {
  throw new AuthMethodError('body_too_large', `the body is over ${MAX_BODY} bytes`);
}

async function bodyOf(request: globalThis.Request): Promise<Record<string, unknown>> {
  const body: unknown = await request.json().catch((error: unknown) => {
    if (!(error instanceof SyntaxError)) throw error;
  });
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body as Record<string, unknown>;
  throw new AuthMethodError('invalid_request', 'body: takes a JSON object');
}
