import { hash } from 'node:crypto';
import { compactVerify, errors } from 'jose';
import type { Clock, CloudConfiguration, Logger, OutboundTransport, TokenValidator } from '../contract/index.js';
import { Gathering } from './gathering.js';
import type { SigningKey } from './key-set.js';
import { member } from './strict-json.js';
import { Tenant } from './tenant.js';
import { checkTimes, readClaims } from './token-claims.js';
import { readKeyId } from './token-header.js';
import { refusal, TOKEN_RULES } from './token-rules.js';
import { checkLength, TokenParser } from './token-shape.js';
import { versionOfIssuer } from './token-version.js';

/** What {@link createTokenValidator} takes. */
export interface TokenValidatorOptions {
  /** Used, not owned: closing the validator leaves it open. */
  readonly transport: OutboundTransport;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Makes the validator of identity tokens: `TOKEN_RULES`, one after the other (spec 5.3; rules 3 of the login rules).
 *
 * A token that was accepted lately is recognised by its digest, which saves the parsing and the signature: its key must still
 * be published, and the rules on times are applied each time. The other rules hold as long as tenant, audience and environment do.
 */
export function createTokenValidator(options: TokenValidatorOptions): TokenValidator {
  const { clock } = options;
  const closing = new AbortController();
  const tenants = new WeakMap<CloudConfiguration, Tenant>();
  let latest: { readonly configuration: CloudConfiguration; readonly tenant: Tenant } | undefined;
  const parser = new TokenParser();
  const verifications = new Gathering();

  function tenantOf(configuration: CloudConfiguration): Tenant {
    const known = tenants.get(configuration);
    if (known !== undefined) return known;
    const tenant =
      latest !== undefined && isSameForTokens(latest.configuration, configuration)
        ? latest.tenant
        : new Tenant(configuration, { ...options, closing: closing.signal });
    latest = { configuration, tenant };
    tenants.set(configuration, tenant);
    return tenant;
  }

  return {
    rules: TOKEN_RULES,

    async validate(jwt, configuration, signal) {
      checkLength(jwt);
      const tenant = tenantOf(configuration);
      const digest = hash('sha256', jwt, 'base64');
      const now = Math.floor(clock.now() / 1000);
      const known = tenant.recognise(digest);
      if (known !== undefined) {
        checkTimes(known.times, now);
        return known.identity;
      }

      const { header, claims } = parser.parse(jwt);
      const keyId = readKeyId(header);
      const keys = tenant.keys(versionOfIssuer(member(claims, 'iss')));
      const key = keys.find(keyId) ?? (await keys.obtain(keyId, signal));
      await verifications.join();
      await verifySignature(jwt, key);

      const accepted = readClaims(claims, { issuer: key.issuer, audience: configuration.resource, now });
      tenant.remember(digest, { ...accepted, key, keyId });
      return accepted.identity;
    },

    close() {
      closing.abort();
      return Promise.resolve();
    },
  };
}

/** Whether what is known of tokens holds for both. Keys and claims have nothing to do with credentials, which root rotation changes. */
function isSameForTokens(one: CloudConfiguration, other: CloudConfiguration): boolean {
  return (
    one.tenantId === other.tenantId &&
    one.resource === other.resource &&
    one.environment === other.environment &&
    one.maxAttempts === other.maxAttempts &&
    one.retryDelay === other.retryDelay &&
    one.maxRetryDelay === other.maxRetryDelay
  );
}

async function verifySignature(jwt: string, key: SigningKey): Promise<void> {
  try {
    await compactVerify(jwt, key.publicKey, { algorithms: ['RS256'] });
  } catch (error) {
    if (!(error instanceof errors.JOSEError)) throw error;
    throw refusal('token-signature', "The token's signature is not valid.");
  }
}
