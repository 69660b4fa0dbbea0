import type { webcrypto } from 'node:crypto';
import { importJWK } from 'jose';
import type { CryptoKey } from 'jose';
import type { Logger } from '../contract/index.js';
import type { Issuer } from './discovery.js';
import { DocumentError } from './fetch-document.js';
import { isJsonObject, member } from './strict-json.js';
import type { JsonObject } from './strict-json.js';
import { MAX_KEY_ID_LENGTH } from './token-header.js';

/** Keys read from one document at most. The directory publishes fewer than ten. */
const MAX_KEYS = 100;
const MIN_MODULUS_BITS = 2048;

/** A key and the only issuer that it speaks for. */
export interface SigningKey {
  readonly publicKey: CryptoKey;
  readonly issuer: Issuer;
}

/** Keys by their ids. */
export type KeySet = ReadonlyMap<string, SigningKey>;

/**
 * Imports the keys that can verify RS256. Other entries are skipped, and an id that two different keys claim counts for
 * neither.
 *
 * @throws {@link DocumentError} when nothing usable remains.
 */
export async function readKeySet(document: JsonObject, issuer: Issuer, logger: Logger): Promise<KeySet> {
  const entries = member(document, 'keys');
  if (!Array.isArray(entries)) throw new DocumentError("The key set's keys must be an array.");
  if (entries.length > MAX_KEYS) logger.warn('key set cut short', { keys: entries.length, kept: MAX_KEYS });

  const published = entries
    .slice(0, MAX_KEYS)
    .map(readPublishedKey)
    .filter((key) => key !== undefined);
  const keys = new Map<string, SigningKey>();
  for (const key of published) {
    if (published.some((other) => other.kid === key.kid && (other.n !== key.n || other.e !== key.e))) {
      logger.warn('key skipped: a different key has the same id', { kid: key.kid });
      continue;
    }
    const publicKey = await importKey(key);
    if (publicKey !== undefined) keys.set(key.kid, { publicKey, issuer });
  }
  if (keys.size === 0) throw new DocumentError('The key set has no usable key.');
  return keys;
}

/** An RSA key as published: modulus and exponent in base64url. */
interface PublishedKey {
  readonly kid: string;
  readonly n: string;
  readonly e: string;
}

function readPublishedKey(entry: unknown): PublishedKey | undefined {
  if (!isJsonObject(entry) || !isMeantForRs256(entry)) return undefined;
  const [kid, n, e] = ['kid', 'n', 'e'].map((name) => member(entry, name));
  if (typeof kid !== 'string' || kid === '' || kid.length > MAX_KEY_ID_LENGTH) return undefined;
  return typeof n === 'string' && typeof e === 'string' ? { kid, n, e } : undefined;
}

async function importKey({ n, e }: PublishedKey): Promise<CryptoKey | undefined> {
  try {
    const key = await importJWK({ kty: 'RSA' as const, n, e }, 'RS256');
    return isStrongEnough(key) ? key : undefined;
  } catch {
    return undefined;
  }
}

/** With the exponent 1, anybody could sign. */
function isStrongEnough({ algorithm }: CryptoKey): boolean {
  const { modulusLength = 0, publicExponent = new Uint8Array() } = algorithm as Partial<webcrypto.RsaKeyAlgorithm>;
  return modulusLength >= MIN_MODULUS_BITS && BigInt(`0x${Buffer.from(publicExponent).toString('hex') || '0'}`) > 1n;
}

function isMeantForRs256(entry: JsonObject): boolean {
  const use = member(entry, 'use');
  const operations = member(entry, 'key_ops');
  const algorithm = member(entry, 'alg');
  return (
    member(entry, 'kty') === 'RSA' &&
    (use === undefined || use === 'sig') &&
    (operations === undefined || (Array.isArray(operations) && operations.includes('verify'))) &&
    (algorithm === undefined || algorithm === 'RS256')
  );
}
