import { LRUCache } from 'lru-cache';
import type { Clock, CloudConfiguration, Logger, OutboundTransport } from '../contract/index.js';
import { discoveryUrl, readIssuer } from './discovery.js';
import { fetchDocument } from './fetch-document.js';
import { readKeySet } from './key-set.js';
import type { KeySet, SigningKey } from './key-set.js';
import { KeySource } from './key-source.js';
import type { AcceptedClaims } from './token-claims.js';
import type { TokenVersion } from './token-version.js';

/** Tokens that are recognised without verifying their signatures again. */
const MAX_ACCEPTED_TOKENS = 2048;

/** A token that passed all rules, with the key that signed it. */
export interface AcceptedToken extends AcceptedClaims {
  readonly key: SigningKey;
  readonly keyId: string;
}

/** What a {@link Tenant} works with. */
export interface TenantServices {
  readonly transport: OutboundTransport;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Aborts when the validator closes. */
  readonly closing: AbortSignal;
}

/** What is remembered for one tenant, audience and environment, and goes with the configurations that name them. */
export class Tenant {
  readonly #sources: Readonly<Record<TokenVersion, KeySource>>;

  /** Tokens accepted lately, by the SHA-256 of the whole token. */
  readonly #accepted = new LRUCache<string, AcceptedToken>({ max: MAX_ACCEPTED_TOKENS });

  constructor(configuration: CloudConfiguration, services: TenantServices) {
    this.#sources = {
      v1: createSource('v1', configuration, services),
      v2: createSource('v2', configuration, services),
    };
  }

  /** A token that was accepted lately and whose key is still in the set that it came from. */
  recognise(digest: string): AcceptedToken | undefined {
    const token = this.#accepted.get(digest);
    if (token === undefined) return undefined;
    return this.keys(token.key.issuer.version).find(token.keyId) === token.key ? token : undefined;
  }

  remember(digest: string, token: AcceptedToken): void {
    this.#accepted.set(digest, token);
  }

  /** The keys of one of the tenant's issuers. Nothing is fetched before they are asked for one. */
  keys(version: TokenVersion): KeySource {
    return this.#sources[version];
  }
}

function createSource(version: TokenVersion, configuration: CloudConfiguration, services: TenantServices): KeySource {
  const { transport, clock, logger, closing } = services;
  return new KeySource({
    clock,
    logger,
    closing,
    async fetchKeys(signal, deadline): Promise<KeySet> {
      const context = { transport, clock, configuration, signal, deadline };
      const description = await fetchDocument(discoveryUrl(configuration, version), context);
      const issuer = readIssuer(description, configuration.tenantId, version);
      return readKeySet(await fetchDocument(issuer.keysUrl, context), issuer, logger);
    },
  });
}
