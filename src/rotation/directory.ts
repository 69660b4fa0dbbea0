import type {
  ApplicationPasswords,
  Clock,
  CloudConfiguration,
  NewPassword,
  PasswordCredential,
} from '../contract/index.js';
import type { Exclusive } from './exclusive.js';
import { Handover } from './failures.js';

/** The directory, with a deadline on every call, which also ends when the work in flight is to give way. */
export class Directory {
  readonly #passwords: ApplicationPasswords;
  readonly #clock: Clock;
  readonly #exclusive: Exclusive;
  readonly #deadline: number;

  /** @param deadline - milliseconds that a call may take */
  constructor(passwords: ApplicationPasswords, clock: Clock, exclusive: Exclusive, deadline: number) {
    this.#passwords = passwords;
    this.#clock = clock;
    this.#exclusive = exclusive;
    this.#deadline = deadline;
  }

  list(configuration: CloudConfiguration): Promise<readonly PasswordCredential[]> {
    return this.#ask((signal) => this.#passwords.list(configuration, signal));
  }

  add(displayName: string, expiresAt: number, configuration: CloudConfiguration): Promise<NewPassword> {
    return this.#ask((signal) => this.#passwords.add(displayName, expiresAt, configuration, signal));
  }

  remove(keyId: string, configuration: CloudConfiguration): Promise<boolean> {
    return this.#ask((signal) => this.#passwords.remove(keyId, configuration, signal));
  }

  accepts(configuration: CloudConfiguration): Promise<boolean> {
    return this.#ask((signal) => this.#passwords.accepts(configuration, signal));
  }

  async #ask<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { signal } = this.#exclusive;
    if (signal.aborted) throw new Handover();
    const deadline = new AbortController();
    const done = new AbortController();
    this.#clock.sleep(this.#deadline, done.signal).then(
      () => deadline.abort(),
      () => undefined,
    );
    try {
      return await work(AbortSignal.any([signal, deadline.signal]));
    } finally {
      done.abort();
    }
  }
}

/** Whether two key ids are the same: the directory takes them in any case. */
export function isSameKey(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}
