import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { IncomingMessage } from 'node:http';
import { importJWK } from 'jose';
import type { CryptoKey, JWK } from 'jose';

const MAX_ISSUERS = 16;
const MAX_AGE = 3_600_000;
const MAX_DOCUMENT = 1 << 20;
const TIMEOUT = 5_000;

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/** Somebody who signs assertions and publishes the keys. */
export interface AssertionIssuer {
  /** `iss` of its assertions, and the URL below which it publishes its OpenID configuration. */
  readonly issuer: string;
  /** Certificate authorities to trust when it publishes over HTTPS, PEM. Default: the system's. */
  readonly ca?: string;
}

/** Keys by key id, as an issuer published them. */
interface PublishedKeys {
  readonly fetchedAt: number;
  readonly jwks: readonly JWK[];
}

/** Keys that issuers publish: https, or plain http on this machine. Keeps those of a few issuers for an hour. */
export class IssuerKeys {
  readonly #now: () => number;
  readonly #known = new Map<string, PublishedKeys>();

  /** @param now - milliseconds since the Unix epoch */
  constructor(now: () => number) {
    this.#now = now;
  }

  /**
   * The issuer's key with that id, asked for anew when it is not known; `undefined` when the issuer does not publish it.
   * Rejects when the issuer cannot be asked or what it publishes is not what it should be.
   */
  async find(issuer: AssertionIssuer, kid: string | undefined): Promise<CryptoKey | Uint8Array | undefined> {
    const name = JSON.stringify([issuer.issuer, issuer.ca]);
    const known = this.#known.get(name);
    const isFresh = known !== undefined && Math.abs(this.#now() - known.fetchedAt) < MAX_AGE;
    const jwk = (isFresh && keyIn(known.jwks, kid)) || keyIn(await this.#fetch(name, issuer), kid);
    return jwk && importJWK(jwk, 'RS256');
  }

  async #fetch(name: string, issuer: AssertionIssuer): Promise<readonly JWK[]> {
    const jwks = await fetchKeys(issuer);
    this.#known.delete(name);
    this.#known.set(name, { fetchedAt: this.#now(), jwks });
    const [oldest] = this.#known.keys();
    if (this.#known.size > MAX_ISSUERS && oldest !== undefined) this.#known.delete(oldest);
    return jwks;
  }
}

/** An assertion without a key id is for an issuer with a single key. */
function keyIn(jwks: readonly JWK[], kid: string | undefined): JWK | undefined {
  const candidates = kid === undefined ? jwks : jwks.filter((jwk) => jwk.kid === kid);
  return candidates.length === 1 ? candidates[0] : undefined;
}

async function fetchKeys({ issuer, ca }: AssertionIssuer): Promise<readonly JWK[]> {
  const configuration = await fetchObject(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`, ca);
  if (configuration['issuer'] !== issuer) throw new Error('the OpenID configuration is of another issuer');
  const { keys } = await fetchObject(String(configuration['jwks_uri']), ca);
  if (!Array.isArray(keys)) throw new Error('the key set has no keys');
  return keys as JWK[];
}

async function fetchObject(url: string, ca: string | undefined): Promise<Record<string, unknown>> {
  const answer = await get(url, ca);
  if (answer.statusCode !== 200) {
    answer.destroy();
    throw new Error(`the answer has status ${answer.statusCode ?? 0}`);
  }
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_DOCUMENT) throw new Error('the answer is too large');
    chunks.push(chunk);
  }
  const document: unknown = JSON.parse(Buffer.concat(chunks).toString());
  if (typeof document !== 'object' || document === null) throw new Error('the answer is not a JSON object');
  return document as Record<string, unknown>;
}

/** Redirects are not followed. */
function get(url: string, ca: string | undefined): Promise<IncomingMessage> {
  const { protocol, hostname } = new URL(url);
  const isSecure = protocol === 'https:';
  if (!isSecure && !(protocol === 'http:' && LOOPBACK.test(hostname))) throw new Error('the URL is not https');
  const options = {
    agent: false as const,
    signal: AbortSignal.timeout(TIMEOUT),
    headers: { accept: 'application/json' },
  };
  return new Promise((resolve, reject) => {
    const outgoing = isSecure
      ? httpsRequest(url, { ...options, ...(ca !== undefined && { ca }) }, resolve)
      : httpRequest(url, options, resolve);
    outgoing.on('error', reject);
    outgoing.end();
  });
}
