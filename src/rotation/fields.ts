import { AuthMethodError } from '../contract/index.js';

/** Typed reading of a stored JSON record. Throws `storage_failed`, which names the field and never its value. */
export class Fields {
  readonly values: Readonly<Record<string, unknown>>;
  readonly #key: string;

  constructor(key: string, values: unknown) {
    this.#key = key;
    if (typeof values !== 'object' || values === null || Array.isArray(values)) throw this.#unreadable('it');
    this.values = values as Record<string, unknown>;
  }

  static parse(key: string, text: string): Fields {
    let values: unknown;
    try {
      values = JSON.parse(text);
    } catch {
      // The parser's own text would show parts of the record.
    }
    return new Fields(key, values);
  }

  text(name: string, pattern = /./): string {
    const value = this.values[name];
    if (typeof value === 'string' && pattern.test(value)) return value;
    throw this.#unreadable(name);
  }

  number(name: string): number {
    const value = this.values[name];
    if (typeof value === 'number') return value;
    throw this.#unreadable(name);
  }

  record(name: string): Fields {
    return new Fields(this.#key, this.values[name]);
  }

  records(name: string): Fields[] {
    const value = this.values[name];
    if (Array.isArray(value)) return value.map((entry) => new Fields(this.#key, entry));
    throw this.#unreadable(name);
  }

  #unreadable(name: string): AuthMethodError {
    return new AuthMethodError('storage_failed', `storage: the record ${this.#key} cannot be read: ${name}`);
  }
}
