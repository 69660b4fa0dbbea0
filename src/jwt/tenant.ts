import { LRUCache } from 'lru-cache';
import type { Clock, CloudConfiguration, Logger, OutboundTransport } from '../contract/index.js';
import { discoveryUrl, readIssuer } from './discovery.js';
import { fetchDocument } from './fetch-document.js';
import { readKeySet } from './key-set.js';
import type { KeySet, SigningKey } from './key-set.js';
import { KeySource } from './key-source.js';
import type { ParsedToken } from './token-shape.js';
import type { TokenVersion } from './token-version.js';

/** Tokens that are recognised without verifying their signatures again. */
const MAX_VERIFIED_TOKENS = 2048;

/** A token whose signature was verified, with the key that did. */
export interface VerifiedToken extends ParsedToken {
  readonly key: SigningKey;
}

/** What a {@link Tenant} works with. */
export interface TenantServices {
  readonly transport: OutboundTransport;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Aborts when the validator closes. */
  readonly closing: AbortSignal;
}

/** What is remembered for one configuration, and goes with it. */
export class Tenant {
  readonly #sources: Readonly<Record<TokenVersion, KeySource>>;

  /** Tokens accepted lately, by the SHA-256 of the whole token. */
  readonly verified = new LRUCache<string, VerifiedToken>({ max: MAX_VERIFIED_TOKENS });

  constructor(configuration: CloudConfiguration, services: TenantServices) {
    this.#sources = {
      v1: createSource('v1', configuration, services),
      v2: createSource('v2', configuration, services),
    };
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
