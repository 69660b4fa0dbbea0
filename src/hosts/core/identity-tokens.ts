import { generateKeyPair, randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { exportJWK, importJWK, SignJWT } from 'jose';
import type { JWK } from 'jose';
import { AuthMethodError } from '../../contract/index.js';
import type { Clock, IdentityToken, Logger } from '../../contract/index.js';
import { KeyedQueue } from './keyed-queue.js';
import type { Records } from './records.js';

const KEYS = 'core/identity-keys';
const HOUR = 3_600_000;
/** Milliseconds for which a key signs. */
const PERIOD = 24 * HOUR;
/** Milliseconds that a key is published before it signs, so that whoever keeps key sets has it by then. */
const LEAD = HOUR;
/** Seconds that an identity token lives at most. */
const MAX_TTL = 86_400;
/** Milliseconds without another try to store a successor after one that failed: anybody may ask for the keys. */
const PAUSE = 10_000;

interface KeyPair {
  readonly kid: string;
  /** Secret. */
  readonly privateJwk: JWK;
  readonly publicJwk: JWK;
}

/** A stored key. */
interface IdentityKey extends KeyPair {
  /** Milliseconds since the Unix epoch. */
  readonly createdAt: number;
}

/**
 * Plugin identity tokens (spec 5.5): signed by keys of this server, which it publishes. A key signs for a day; its successor is
 * published an hour before it takes over, and it stays published until nothing that it signed is valid any more.
 */
export class IdentityTokens {
  readonly #records: Records;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #turns = new KeyedQueue();
  #keys: readonly IdentityKey[] | undefined;
  /** Made, and not stored yet: while storage fails, not every request costs another pair. */
  #spare: KeyPair | undefined;
  /** When a successor could not be stored. Milliseconds since the Unix epoch. */
  #failedAt = -Infinity;
  /** Base URL under which others reach this server, without a slash at the end; `undefined` = it signs nothing. */
  baseUrl: string | undefined;

  constructor(records: Records, clock: Clock, logger: Logger, baseUrl: string | undefined) {
    this.#records = records;
    this.#clock = clock;
    this.#logger = logger;
    this.baseUrl = baseUrl;
  }

  /**
   * A token in which this server vouches for a mount.
   *
   * @param ttl - seconds; a day at most
   * @throws `capability_missing` when the server does not know its own base URL.
   */
  async issue(accessor: string, audience: string, ttl: number): Promise<IdentityToken> {
    const issuer = this.#issuer();
    if (issuer === undefined) {
      throw new AuthMethodError(
        'capability_missing',
        'identity_token_audience: this server knows no base URL of its own',
        {
          field: 'identity_token_audience',
        },
      );
    }
    const lifetime = Math.min(ttl, MAX_TTL);
    const now = Math.floor(this.#clock.now() / 1000);
    const { kid, privateJwk } = signingKey(await this.#current(), this.#clock.now());
    const token = await new SignJWT()
      .setProtectedHeader({ alg: 'RS256', kid, typ: 'JWT' })
      .setIssuer(issuer)
      .setSubject(`plugin-identity:root:auth:${accessor}`)
      .setAudience(audience)
      .setIssuedAt(now)
      .setNotBefore(now)
      .setExpirationTime(now + lifetime)
      .setJti(randomUUID())
      .sign(await importJWK(privateJwk, 'RS256'));
    return { token, ttl: lifetime };
  }

  /** The OpenID configuration; `undefined` when there is none. */
  openIdConfiguration(): Record<string, unknown> | undefined {
    const issuer = this.#issuer();
    if (issuer === undefined) return undefined;
    return {
      issuer,
      jwks_uri: `${issuer}/.well-known/keys`,
      response_types_supported: ['id_token'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
    };
  }

  /** The public keys; `undefined` when it signs nothing. */
  async keySet(): Promise<Record<string, unknown> | undefined> {
    if (this.#issuer() === undefined) return undefined;
    const keys = await this.#current();
    return { keys: keys.map(({ kid, publicJwk }) => ({ ...publicJwk, kid, use: 'sig', alg: 'RS256' })) };
  }

  #issuer(): string | undefined {
    return this.baseUrl === undefined ? undefined : `${this.baseUrl}/v1/identity/oidc/plugins`;
  }

  /** The keys, newest first, with a successor where it is time for one. They are stored before anybody sees them. */
  async #current(): Promise<readonly IdentityKey[]> {
    const now = this.#clock.now();
    if (this.#keys !== undefined && (!isDue(this.#keys, now) || this.#pauses(now))) return this.#keys;
    await this.#turns.run(KEYS, async () => {
      const stored = this.#keys ?? (((await this.#records.get(KEYS))?.['keys'] ?? []) as IdentityKey[]);
      const isWanted = isDue(stored, now) && !this.#pauses(now);
      this.#keys = isWanted ? await this.#withSuccessor(stored.filter(isStillNeeded(now)), now) : stored;
    });
    return this.#keys ?? [];
  }

  #pauses(now: number): boolean {
    return Math.abs(now - this.#failedAt) < PAUSE;
  }

  /** Storage that fails does not end logins: the keys that there are go on until it works again. */
  async #withSuccessor(keys: readonly IdentityKey[], now: number): Promise<readonly IdentityKey[]> {
    this.#spare ??= await createKeyPair();
    const next = [{ ...this.#spare, createdAt: now }, ...keys];
    try {
      await this.#records.put(KEYS, { keys: next });
    } catch (error) {
      if (keys.length === 0) throw error;
      this.#failedAt = now;
      this.#logger.error('the next identity key could not be stored', { error });
      return keys;
    }
    this.#spare = undefined;
    return next;
  }
}

/** A clock that was set back must not leave a key in use for ever. */
function isDue([newest]: readonly IdentityKey[], now: number): boolean {
  return newest === undefined || Math.abs(now - newest.createdAt) >= PERIOD;
}

/** A key has a successor after a period, and signs for the lead and a token's lifetime is over after that. */
function isStillNeeded(now: number): (key: IdentityKey) => boolean {
  return ({ createdAt }) => now - createdAt < 2 * PERIOD + LEAD + MAX_TTL * 1000;
}

/** The newest that has been published long enough; in the beginning, the only one. */
function signingKey(keys: readonly IdentityKey[], now: number): IdentityKey {
  const key = keys.find(({ createdAt }) => now - createdAt >= LEAD) ?? keys.at(-1);
  if (key === undefined) throw new AuthMethodError('internal', 'there is no identity key');
  return key;
}

async function createKeyPair(): Promise<KeyPair> {
  const { privateKey, publicKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 });
  return {
    kid: randomUUID(),
    privateJwk: await exportJWK(privateKey),
    publicJwk: await exportJWK(publicKey),
  };
}
