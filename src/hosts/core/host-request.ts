/** What a caller of a host wants done. `write` becomes `create` or `update` for the backend. */
export type HostOperation = 'write' | 'read' | 'delete' | 'list' | 'help';

/** One call to a host, whatever it came in by. */
export interface HostRequest {
  /** Identifies the request in log lines and answers. */
  readonly id: string;
  readonly operation: HostOperation;
  /** Decoded path without the leading `/v1/`, for instance `auth/cloud/role/dev`. */
  readonly path: string;
  /** The parsed body: untrusted JSON values. */
  readonly data?: Readonly<Record<string, unknown>>;
  /** Service token of the caller. Secret. */
  readonly token?: string;
  /** IP address of the caller, when it is known. */
  readonly remoteAddress?: string;
}

/** A token as its owner is told about it. */
export interface GrantedAuth {
  /** The service token. Secret. */
  readonly clientToken: string;
  /** Names the token without being it. Empty for batch tokens. */
  readonly accessor: string;
  readonly policies: readonly string[];
  readonly metadata: Readonly<Record<string, string>>;
  /** Seconds until the token expires; 0 = never. */
  readonly leaseDuration: number;
  readonly renewable: boolean;
  readonly entityId: string;
  readonly tokenType: 'service' | 'batch';
  readonly orphan: boolean;
  /** Requests the token still serves; 0 = unlimited. */
  readonly numUses: number;
}

/** What a host answers. An operation with nothing to say answers `undefined` instead. */
export interface HostAnswer {
  /** JSON values in wire spelling. */
  readonly data?: Readonly<Record<string, unknown>>;
  readonly auth?: GrantedAuth;
  /** Full sentences for the caller. */
  readonly warnings?: readonly string[];
  /** Members beside `data`, where clients of such servers look for them. */
  readonly beside?: Readonly<Record<string, unknown>>;
  /** The whole answer, in place of the usual envelope. */
  readonly whole?: Readonly<Record<string, unknown>>;
}
