import { randomBytes, randomUUID } from 'node:crypto';

const TWO_YEARS = 2 * 365 * 86_400_000;
const HINT_LENGTH = 3;

/** A client secret of an application. Times are milliseconds since the Unix epoch. */
export interface Password {
  /** GUID. */
  readonly keyId: string;
  readonly displayName?: string;
  /** The secret itself, which the directory shows only to whoever adds it. */
  readonly secretText: string;
  readonly startsAt: number;
  readonly expiresAt: number;
  /** -Infinity when it came with the application. */
  readonly addedAt: number;
  /** Absent while nobody has removed it. */
  readonly removedAt?: number;
}

/** What to make a {@link Password} of. */
export interface PasswordOptions {
  readonly displayName?: string;
  /** Default: random. */
  readonly secretText?: string;
  /** Default: now. */
  readonly startsAt?: number;
  /** Default: two years after the start. */
  readonly expiresAt?: number;
}

/** How many milliseconds the parts of the directory take to learn of a change. */
export interface PropagationDelays {
  /** Until token requests accept a secret that was added. */
  readonly secretAcceptanceDelay: number;
  /** Until token requests refuse a secret that was removed. */
  readonly secretRemovalDelay: number;
  /** Until reads show what was added and no longer show what was removed. */
  readonly listDelay: number;
  /** Until a removal finds what was added; it answers before that as if there were no such password. */
  readonly removableDelay: number;
}

/** A directory that is at once of one mind. */
export const NO_DELAYS: PropagationDelays = {
  secretAcceptanceDelay: 0,
  secretRemovalDelay: 0,
  listDelay: 0,
  removableDelay: 0,
};

/** The directory that passwords are in. */
export interface PasswordDirectory {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  delays(): PropagationDelays;
}

/** The passwords of one application. */
export class Passwords {
  readonly #directory: PasswordDirectory;
  #delays: Partial<PropagationDelays> = {};
  #all: readonly Password[];

  /** Starts with one that every part of the directory knows. */
  constructor(first: Pick<Password, 'secretText' | 'expiresAt'>, directory: PasswordDirectory) {
    this.#directory = directory;
    this.#all = [{ ...first, keyId: randomUUID(), startsAt: 0, addedAt: -Infinity }];
  }

  /** All that ever were, those removed too, oldest first. */
  get all(): readonly Password[] {
    return this.#all;
  }

  /** Those that nobody has removed, expired ones too, whatever parts of the directory know of them. Oldest first. */
  get current(): readonly Password[] {
    return this.#all.filter(({ removedAt }) => removedAt === undefined);
  }

  /** Those that reads show. */
  get listed(): readonly Password[] {
    const { listDelay } = this.#effectiveDelays;
    return this.#all.filter(
      ({ addedAt, removedAt }) => this.#isOver(listDelay, addedAt) && !this.#isOver(listDelay, removedAt),
    );
  }

  /** What a token request with that secret meets. */
  check(secretText: string): 'accepted' | 'expired' | 'unknown' {
    const { secretAcceptanceDelay, secretRemovalDelay } = this.#effectiveDelays;
    const now = this.#directory.now();
    const found = this.#all.filter(
      (password) =>
        password.secretText === secretText &&
        password.startsAt <= now &&
        this.#isOver(secretAcceptanceDelay, password.addedAt) &&
        !this.#isOver(secretRemovalDelay, password.removedAt),
    );
    if (found.length === 0) return 'unknown';
    return found.some(({ expiresAt }) => expiresAt > now) ? 'accepted' : 'expired';
  }

  /** Adds one. */
  add({ displayName, secretText, startsAt, expiresAt }: PasswordOptions = {}): Password {
    const addedAt = this.#directory.now();
    const start = startsAt ?? addedAt;
    const password = {
      keyId: randomUUID(),
      ...(displayName !== undefined && { displayName }),
      secretText: secretText ?? randomSecret(),
      startsAt: start,
      expiresAt: expiresAt ?? start + TWO_YEARS,
      addedAt,
    };
    this.#all = [...this.#all, password];
    return password;
  }

  /** Removes one. Returns whether it was found. */
  remove(keyId: string): boolean {
    const { removableDelay } = this.#effectiveDelays;
    const removed = this.current.find(
      (password) => password.keyId === keyId.toLowerCase() && this.#isOver(removableDelay, password.addedAt),
    );
    if (removed === undefined) return false;
    const removedAt = this.#directory.now();
    this.#all = this.#all.map((password) => (password === removed ? { ...password, removedAt } : password));
    return true;
  }

  /** Changes the delays of this application; what is not named is as in the rest of the directory or as set before. */
  setDelays(delays: Partial<PropagationDelays>): void {
    this.#delays = { ...this.#delays, ...delays };
  }

  get #effectiveDelays(): PropagationDelays {
    return { ...this.#directory.delays(), ...this.#delays };
  }

  #isOver(delay: number, since = Infinity): boolean {
    return this.#directory.now() - since >= delay;
  }
}

/** The part of a secret that everybody may see who may read the application. */
export function hintOf({ secretText }: Password): string {
  return secretText.slice(0, HINT_LENGTH);
}

/** `canary` makes a leaked secret recognisable in logs and answers; the hints of two secrets still differ. */
function randomSecret(): string {
  return `${randomBytes(HINT_LENGTH).toString('base64url').slice(0, HINT_LENGTH)}~canary-${randomBytes(20).toString('base64url')}`;
}
