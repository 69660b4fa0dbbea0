import { generateKeyPairSync, sign } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { createTokenValidator } from '../../src/jwt/index.js';
import type {
  CloudConfiguration,
  IdentityClaims,
  OutboundRequest,
  OutboundResponse,
  OutboundTransport,
  TokenValidator,
} from '../../src/contract/index.js';
import { ManualClock } from '../support/clock.js';
import { recordingLogger } from '../support/logger.js';

export const TENANT = '72f988bf-86f1-41af-91ab-2d7cd011db47';
export const AUDIENCE = 'https://resource.example/';
export const ISSUER_V1 = `https://sts.windows.net/${TENANT}/`;
export const ISSUER_V2 = `https://authority.example/${TENANT}/v2.0`;

/** A signing key of the directory. */
export interface TestKey {
  readonly kid: string;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
  readonly jwk: Record<string, unknown>;
}

export function createKey(kid: string, modulusLength = 2048): TestKey {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength });
  return { kid, privateKey, publicKey, jwk: { ...publicKey.export({ format: 'jwk' }), kid, use: 'sig' } };
}

export function jsonAnswer(value: unknown, status = 200): OutboundResponse {
  return { status, headers: {}, body: Buffer.from(JSON.stringify(value)) };
}

/** A directory behind a transport that never touches a socket, so that time is the test's alone. */
export class FakeDirectory implements OutboundTransport {
  /** URLs asked for, oldest first. */
  readonly requests: OutboundRequest[] = [];
  readonly published: Record<'v1' | 'v2', unknown[]> = { v1: [], v2: [] };
  /** Discovery documents by version. */
  readonly discovery: Record<'v1' | 'v2', unknown> = {
    v1: { issuer: ISSUER_V1, jwks_uri: 'https://authority.example/keys/v1' },
    v2: { issuer: ISSUER_V2, jwks_uri: 'https://authority.example/keys/v2' },
  };
  /** Answers in the directory's place. */
  intercept: ((request: OutboundRequest) => Promise<OutboundResponse> | undefined) | undefined;

  async send(request: OutboundRequest): Promise<OutboundResponse> {
    this.requests.push(request);
    // As on a real socket, no answer comes in the same turn.
    await Promise.resolve();
    return this.intercept?.(request) ?? this.#answer(request.url);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  keyFetches(version: 'v1' | 'v2' = 'v1'): number {
    return this.requests.filter(({ url }) => url.endsWith(`/keys/${version}`)).length;
  }

  #answer(url: string): OutboundResponse {
    if (url.endsWith('/v2.0/.well-known/openid-configuration')) return jsonAnswer(this.discovery.v2);
    if (url.endsWith('/.well-known/openid-configuration')) return jsonAnswer(this.discovery.v1);
    if (url.endsWith('/keys/v1')) return jsonAnswer({ keys: this.published.v1 });
    if (url.endsWith('/keys/v2')) return jsonAnswer({ keys: this.published.v2 });
    return jsonAnswer({}, 404);
  }
}

export function configurationOf(overrides: Partial<CloudConfiguration> = {}): CloudConfiguration {
  return {
    tenantId: TENANT,
    resource: AUDIENCE,
    environment: {
      name: 'CloudPublicCloud',
      aliases: [],
      authorityHost: 'https://authority.example',
      resourceManagerEndpoint: 'https://manager.example',
      resourceManagerAudience: 'https://manager.example',
      graphEndpoint: 'https://graph.example',
    },
    maxAttempts: 1,
    retryDelay: 0.5,
    maxRetryDelay: 2,
    ...overrides,
  };
}

/** A validator with everything around it, its directory publishing `key` for both versions. */
export interface Scene {
  readonly directory: FakeDirectory;
  readonly clock: ManualClock;
  readonly logger: ReturnType<typeof recordingLogger>;
  readonly validator: TokenValidator;
  readonly configuration: CloudConfiguration;
  readonly validate: (jwt: string) => Promise<IdentityClaims>;
}

export function createScene(key: TestKey, overrides: Partial<CloudConfiguration> = {}): Scene {
  const directory = new FakeDirectory();
  directory.published.v1 = [key.jwk];
  directory.published.v2 = [key.jwk];
  const clock = new ManualClock();
  const logger = recordingLogger();
  const validator = createTokenValidator({ transport: directory, clock, logger });
  const configuration = configurationOf(overrides);
  const validate = (jwt: string) => validator.validate(jwt, configuration, new AbortController().signal);
  return { directory, clock, logger, validator, configuration, validate };
}

/** Claims that pass every rule at the time of a new {@link ManualClock}. */
export function goodClaims(version: 'v1' | 'v2' = 'v1'): Record<string, unknown> {
  const now = Math.floor(new ManualClock().now() / 1000);
  return {
    aud: AUDIENCE,
    iss: version === 'v1' ? ISSUER_V1 : ISSUER_V2,
    iat: now - 300,
    nbf: now - 300,
    exp: now + 86_400,
    oid: '6b1ecbf3-4b5c-4c43-9a6b-1d2d3f0b7c11',
    tid: TENANT,
    ver: version === 'v1' ? '1.0' : '2.0',
    [version === 'v1' ? 'appid' : 'azp']: 'f5b1a9a4-7d0e-4b0e-8a65-52a2a3f0a9be',
  };
}

export function goodHeader(key: TestKey): Record<string, unknown> {
  return { typ: 'JWT', alg: 'RS256', kid: key.kid };
}

export function base64url(value: string | Uint8Array): string {
  return Buffer.from(value).toString('base64url');
}

/** Signs header and payload as they are, whatever they are. */
export function signRaw(header: string | Uint8Array, payload: string | Uint8Array, key: TestKey): string {
  const input = `${base64url(header)}.${base64url(payload)}`;
  return `${input}.${sign('sha256', Buffer.from(input), key.privateKey).toString('base64url')}`;
}

/** A token with claims and header parameters changed; `undefined` leaves one out. */
export function tokenOf(
  key: TestKey,
  claims: Record<string, unknown> = {},
  header: Record<string, unknown> = {},
  version: 'v1' | 'v2' = 'v1',
): string {
  return signRaw(
    JSON.stringify({ ...goodHeader(key), ...header }),
    JSON.stringify({ ...goodClaims(version), ...claims }),
    key,
  );
}
