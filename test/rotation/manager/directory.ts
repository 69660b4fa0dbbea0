import { randomUUID } from 'node:crypto';
import { AuthMethodError } from '../../../src/contract/index.js';
import type {
  ApplicationPasswords,
  Clock,
  CloudConfiguration,
  NewPassword,
  PasswordCredential,
} from '../../../src/contract/index.js';

/** A client secret, and what the directory makes known of it when. Milliseconds since the Unix epoch. */
export interface FakePassword extends PasswordCredential {
  readonly secret: string;
  readonly acceptedFrom: number;
  readonly listedFrom: number;
  removedAt?: number;
}

export type DirectoryCall = 'list' | 'add' | 'remove' | 'accepts';

/** A directory with one application, which takes its time to say what it knows. */
export class FakeDirectory implements ApplicationPasswords {
  readonly passwords: FakePassword[] = [];
  readonly calls: DirectoryCall[] = [];
  /** Milliseconds until a new secret is accepted. */
  acceptDelay = 0;
  /** Milliseconds until an added or removed one shows in lists. */
  listDelay = 0;
  /** Milliseconds for which a removed one is still accepted. */
  removeDelay = 0;
  /** Awaited before a call does its work; may throw. */
  before: (call: DirectoryCall, signal: AbortSignal) => void | Promise<void> = () => undefined;
  /** Awaited after it has: throwing loses the answer. */
  after: (call: DirectoryCall, signal: AbortSignal) => void | Promise<void> = () => undefined;

  constructor(private readonly clock: Clock) {}

  /** Makes a secret that everybody knows of at once. */
  plant(secret: string, displayName = 'by hand'): FakePassword {
    const password = {
      keyId: randomUUID(),
      secret,
      displayName,
      hint: secret.slice(0, 3),
      expiresAt: this.clock.now() + 10 * 365 * 86_400_000,
      acceptedFrom: 0,
      listedFrom: 0,
    };
    this.passwords.push(password);
    return password;
  }

  /** Those that were not removed. */
  get live(): FakePassword[] {
    return this.passwords.filter(({ removedAt }) => removedAt === undefined);
  }

  isLive(secret: string): boolean {
    return this.live.some((password) => password.secret === secret && this.clock.now() < (password.expiresAt ?? 0));
  }

  list(configuration: CloudConfiguration, signal: AbortSignal): Promise<readonly PasswordCredential[]> {
    return this.#serve('list', signal, () => {
      this.#authenticate(configuration);
      return this.passwords
        .filter((password) => this.#isListed(password))
        .map(({ keyId, displayName, hint, expiresAt }) => ({
          keyId,
          ...(displayName !== undefined && { displayName }),
          ...(hint !== undefined && { hint }),
          ...(expiresAt !== undefined && { expiresAt }),
        }));
    });
  }

  add(
    displayName: string,
    expiresAt: number,
    configuration: CloudConfiguration,
    signal: AbortSignal,
  ): Promise<NewPassword> {
    return this.#serve('add', signal, () => {
      this.#authenticate(configuration);
      const keyId = randomUUID();
      const secret = `${keyId.slice(0, 3)}~canary-${randomUUID()}`;
      const now = this.clock.now();
      this.passwords.push({
        keyId,
        secret,
        displayName,
        hint: secret.slice(0, 3),
        expiresAt,
        acceptedFrom: now + this.acceptDelay,
        listedFrom: now + this.listDelay,
      });
      return { keyId, secret, expiresAt };
    });
  }

  remove(keyId: string, configuration: CloudConfiguration, signal: AbortSignal): Promise<boolean> {
    return this.#serve('remove', signal, () => {
      this.#authenticate(configuration);
      const password = this.live.find((candidate) => candidate.keyId === keyId && this.#isListed(candidate));
      if (password !== undefined) password.removedAt = this.clock.now();
      return password !== undefined;
    });
  }

  accepts(configuration: CloudConfiguration, signal: AbortSignal): Promise<boolean> {
    return this.#serve('accepts', signal, () => this.#isAccepted(configuration));
  }

  async #serve<T>(call: DirectoryCall, signal: AbortSignal, work: () => T): Promise<T> {
    this.calls.push(call);
    await this.before(call, signal);
    const answer = work();
    await this.after(call, signal);
    return answer;
  }

  #authenticate(configuration: CloudConfiguration): void {
    if (!this.#isAccepted(configuration)) throw new AuthMethodError('not_configured', 'The directory refuses.');
  }

  #isAccepted({ clientSecret }: CloudConfiguration): boolean {
    const now = this.clock.now();
    return this.passwords.some(
      ({ secret, acceptedFrom, removedAt, expiresAt = 0 }) =>
        secret === clientSecret &&
        now >= acceptedFrom &&
        now < expiresAt &&
        (removedAt === undefined || now < removedAt + this.removeDelay),
    );
  }

  #isListed({ listedFrom, removedAt }: FakePassword): boolean {
    const now = this.clock.now();
    return now >= listedFrom && (removedAt === undefined || now < removedAt + this.listDelay);
  }
}

/** No answer. */
export function unavailable(): AuthMethodError {
  return new AuthMethodError('provider_unavailable', 'The directory did not answer.');
}

export function denied(): AuthMethodError {
  return new AuthMethodError('not_configured', 'The directory refuses the client secret.');
}

/** Waits until the caller gives up. */
export function hang(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(unavailable());
    signal.addEventListener('abort', () => reject(unavailable()));
  });
}
