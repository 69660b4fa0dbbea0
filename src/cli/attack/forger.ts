import { constants, createHmac, generateKeyPairSync, sign } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import type { Arena } from './arena.js';
import type { Attack } from './attack.js';

/** Members of a header, or claims. */
export type Members = Readonly<Record<string, unknown>>;

/** A part of a token: members to write as JSON, or text or bytes to take as they are. */
export type Part = Members | string | Uint8Array;

/** A genuine token of a machine, its directory's key, and what forgers do with both. */
export class Forger {
  readonly header: Members;
  readonly claims: Members;
  /** The three segments of the genuine token. */
  readonly segments: readonly [string, string, string];
  /** The key that the directory signs with. */
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;

  constructor(
    readonly genuine: string,
    { privateKey, publicKey }: Pick<Forger, 'privateKey' | 'publicKey'>,
  ) {
    const [head = '', body = '', signature = ''] = genuine.split('.');
    this.segments = [head, body, signature];
    this.header = decode(head);
    this.claims = decode(body);
    this.privateKey = privateKey;
    this.publicKey = publicKey;
  }

  /** Signs anything with the directory's key, whatever the header says. */
  sign(header: Part, claims: Part): string {
    return signedBy(this.privateKey, header, claims);
  }

  /** The genuine claims, some of them changed, signed by the directory; `undefined` leaves one out. */
  withClaims(changes: Members): string {
    return this.sign(this.header, { ...this.claims, ...changes });
  }

  /** The genuine claims under another header, signed by the directory. */
  withHeader(changes: Members): string {
    return this.sign({ ...this.header, ...changes }, this.claims);
  }

  /** The genuine claims, signed with a key of the forger's own. */
  withOwnKey(changes: (key: Members) => Members): string {
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const header = { ...this.header, ...changes(publicKey.export({ format: 'jwk' })) };
    return signedBy(privateKey, header, this.claims);
  }

  /** The genuine claims, signed with the public key as if it were a secret. */
  withPublicKeyAsSecret(): string {
    const input = `${encode({ ...this.header, alg: 'HS256' })}.${this.segments[1]}`;
    const secret = this.publicKey.export({ type: 'spki', format: 'pem' });
    return `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`;
  }

  /** The genuine claims, signed by the directory's key with another padding. */
  withPss(alg: string): string {
    const input = `${encode({ ...this.header, alg })}.${this.segments[1]}`;
    const key = { key: this.privateKey, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 };
    return `${input}.${sign('sha256', Buffer.from(input), key).toString('base64url')}`;
  }
}

/** Makes the forger of the machine `web`. */
export async function forgerOf(arena: Arena): Promise<Forger> {
  const { web } = arena.inhabitants;
  const [key] = arena.cloud.signingKeys;
  if (key === undefined) throw new Error('a directory without keys');
  return new Forger(await arena.tokenOf(web), key);
}

/** An attack by a login of the machine `web` as itself, with a forged token. */
export function forgery(title: string, refusedBy: string, forge: (forger: Forger) => string): Attack {
  return {
    title,
    refusedBy,
    attempt: async (arena) => {
      const { web } = arena.inhabitants;
      const jwt = forge(await forgerOf(arena));
      return arena.refusalOf(await arena.loginOf({ from: web, as: web, fields: { jwt } }));
    },
  };
}

function signedBy(key: KeyObject, header: Part, claims: Part): string {
  const input = `${encode(header)}.${encode(claims)}`;
  return `${input}.${sign('sha256', Buffer.from(input), key).toString('base64url')}`;
}

/** One segment of a token. */
export function encode(part: Part): string {
  const bytes = typeof part === 'string' || part instanceof Uint8Array ? part : JSON.stringify(part);
  return Buffer.from(bytes).toString('base64url');
}

function decode(segment: string): Members {
  return JSON.parse(Buffer.from(segment, 'base64url').toString()) as Members;
}
