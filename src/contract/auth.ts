/**
 * Kind of service token to mint (spec 2.2). The empty string and `default` mean the mount's tuned type, which is `service`
 * unless changed. `default-service` and `default-batch` mean that type unless the client asks for another.
 */
export type TokenType = '' | 'default' | 'service' | 'batch' | 'default-service' | 'default-batch';

/** Who logged in, as the host should remember it across logins. */
export interface Alias {
  /** Stable and unique within the mount: the principal's object id, or a group's. */
  readonly name: string;
  /** Verified facts only; policy templates read it. */
  readonly metadata: Readonly<Record<string, string>>;
}

/**
 * What a successful login allows. Minting, storing and revoking the token is the host's work.
 * All times are whole seconds, and 0 means "not set".
 */
export interface Auth {
  readonly policies: readonly string[];
  /** Lifetime of the token until it must be renewed; 0 = the host's default. */
  readonly ttl: number;
  /** Lifetime beyond which renewal does not extend it; 0 = the host's maximum. */
  readonly maxTtl: number;
  /** Hard cap that holds even for periodic tokens. */
  readonly explicitMaxTtl: number;
  /** When set, each renewal extends by this much without a maximum other than `explicitMaxTtl`. */
  readonly period: number;
  /** How many requests the token serves; 0 = unlimited. */
  readonly numUses: number;
  readonly tokenType: TokenType;
  /** Address blocks the token may be used from; empty = anywhere. */
  readonly boundCidrs: readonly string[];
  /** When true the host does not add the policy `default`. */
  readonly noDefaultPolicy: boolean;
  readonly renewable: boolean;
  readonly displayName: string;
  readonly alias: Alias;
  /** Groups of the principal that the token names. */
  readonly groupAliases: readonly Alias[];
  /** Verified facts only; shown to the caller and in audit logs. */
  readonly metadata: Readonly<Record<string, string>>;
  /** Comes back unchanged on renewal. Never shown to the caller. */
  readonly internalData: Readonly<Record<string, string>>;
}
