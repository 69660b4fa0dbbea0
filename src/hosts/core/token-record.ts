import type { Auth } from '../../contract/index.js';

/** Everything a server keeps of a token. The token itself is not in it. Times in milliseconds since the Unix epoch. */
export interface TokenRecord {
  readonly type: 'service' | 'batch';
  /** SHA-256 of the token, base64url: its key. Empty for batch tokens, which are stored nowhere. */
  hash: string;
  /** Empty for batch tokens. */
  accessor: string;
  readonly policies: readonly string[];
  readonly metadata: Readonly<Record<string, string>>;
  readonly displayName: string;
  readonly entityId: string;
  /** Where the token was made, for instance `auth/cloud/login`. */
  readonly path: string;
  /** The mount that vouches for the token; absent for tokens made by another token. */
  readonly mountId: string | undefined;
  /** What the login returned; renewal hands it back. */
  readonly auth: Auth | undefined;
  /** Hash of the token that made this one and takes it along when it ends. Absent for orphans. */
  readonly parent: string | undefined;
  readonly boundCidrs: readonly string[];
  readonly renewable: boolean;
  readonly createdAt: number;
  /** Seconds granted at creation. */
  readonly creationTtl: number;
  /** Seconds; 0 = none. */
  readonly explicitMaxTtl: number;
  /** Seconds granted at the last renewal, or at creation. */
  ttl: number;
  /** Seconds; 0 = not periodic. */
  period: number;
  /** 0 = never. */
  expiresAt: number;
  renewedAt: number | undefined;
  /** Requests still served; 0 = unlimited. */
  usesLeft: number;
}

/** What a renewal changes. */
export type TokenExtension = Pick<TokenRecord, 'ttl' | 'period' | 'expiresAt' | 'renewedAt'>;

/** Whether the token's own time is over. */
export function isExpired(record: TokenRecord, now: number): boolean {
  return record.expiresAt > 0 && now >= record.expiresAt;
}
