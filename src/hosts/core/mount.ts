import type { Backend, Storage, TokenType } from '../../contract/index.js';
import type { LeaseLimits } from './lifetime.js';

/** Kinds of token that a mount can be tuned to. */
export const MOUNT_TOKEN_TYPES = ['default-service', 'default-batch', 'service', 'batch'] as const;

/** What an operator can change while the mount lives. */
export interface MountTuning {
  readonly description: string;
  /** Seconds; 0 = the server's. */
  readonly defaultLeaseTtl: number;
  /** Seconds; 0 = the server's. */
  readonly maxLeaseTtl: number;
  readonly tokenType: (typeof MOUNT_TOKEN_TYPES)[number];
}

/** The tuning of a mount that nobody tuned. */
export const UNTUNED: MountTuning = {
  description: '',
  defaultLeaseTtl: 0,
  maxLeaseTtl: 0,
  tokenType: 'default-service',
};

/** What the server stores of a mount. */
export interface MountRecord {
  /** UUID; names the mount's storage. */
  readonly id: string;
  /** Without slashes at the ends. */
  readonly path: string;
  readonly type: string;
  /** `auth_<type>_<8 hex digits>`. */
  readonly accessor: string;
  readonly options: Readonly<Record<string, string>>;
  readonly tuning: MountTuning;
}

/** An auth method at work. */
export class Mount {
  /** False from the moment it is disabled: requests in flight finish, but give no token any more. */
  live = true;
  record: MountRecord;
  readonly backend: Backend;
  readonly #serverLimits: LeaseLimits;

  constructor(
    record: MountRecord,
    /** What the backend keeps. */ readonly storage: Storage,
    serverLimits: LeaseLimits,
    makeBackend: (mount: Mount) => Backend,
  ) {
    this.record = record;
    this.#serverLimits = serverLimits;
    this.backend = makeBackend(this);
  }

  /** Lease times in force. */
  get limits(): LeaseLimits {
    const { defaultLeaseTtl, maxLeaseTtl } = this.record.tuning;
    const max = maxLeaseTtl || this.#serverLimits.maxLeaseTtl;
    return { defaultLeaseTtl: Math.min(defaultLeaseTtl || this.#serverLimits.defaultLeaseTtl, max), maxLeaseTtl: max };
  }

  /** The kind of token to make when a login asks for this type. */
  resolveTokenType(asked: TokenType): 'service' | 'batch' {
    const type = asked === '' || asked === 'default' ? this.record.tuning.tokenType : asked;
    return type === 'batch' || type === 'default-batch' ? 'batch' : 'service';
  }

  /** Whether a path below the mount needs no service token. An entry that ends in `*` covers all paths it begins. */
  isOpen(path: string): boolean {
    const plain = path.endsWith('/') ? path.slice(0, -1) : path;
    return this.backend.specialPaths.unauthenticated.some((open) =>
      open.endsWith('*') ? plain.startsWith(open.slice(0, -1)) : plain === open,
    );
  }
}
