import { AuthMethodError } from '../../contract/index.js';

/** An untrusted request body. Only own properties count. */
export type Body = Readonly<Record<string, unknown>>;

const SECONDS_PER_UNIT: Readonly<Record<string, number>> = { d: 86_400, h: 3_600, m: 60, s: 1 };
const MAX_SECONDS = 9_223_372_036;
const MAX_TEXT = 2048;

/** Text, `undefined` when not given. These readers throw `invalid_request`, naming the field and never showing its value. */
export function readText(body: Body, name: string, maxLength = MAX_TEXT): string | undefined {
  const value = own(body, name);
  if (value === undefined) return undefined;
  if (typeof value !== 'string' || value.length > maxLength) {
    throw refused(name, value, `text of at most ${maxLength} characters`);
  }
  return value;
}

/** `true` or `false`; false when not given. */
export function readFlag(body: Body, name: string): boolean {
  const value = own(body, name) ?? false;
  if (typeof value !== 'boolean') throw refused(name, value, 'true or false');
  return value;
}

/** A whole number from 0, `undefined` when not given. */
export function readCount(body: Body, name: string): number | undefined {
  const value = own(body, name);
  if (value === undefined) return undefined;
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) {
    throw refused(name, value, 'a whole number from 0');
  }
  return value;
}

/** Seconds: a whole number, digits, or parts such as `1h30m`. `undefined` when not given or empty. */
export function readSeconds(body: Body, name: string): number | undefined {
  const value = own(body, name);
  if (value === undefined || value === '') return undefined;
  const seconds = typeof value === 'string' ? parseSeconds(value) : value;
  if (typeof seconds !== 'number' || !Number.isInteger(seconds) || seconds < 0 || seconds > MAX_SECONDS) {
    throw refused(name, value, 'whole seconds or a duration such as "1h30m"');
  }
  return seconds;
}

/** Texts, as an array or comma-delimited. Empty when not given. */
export function readList(body: Body, name: string): string[] {
  const value = own(body, name) ?? [];
  const entries: unknown = typeof value === 'string' ? value.split(',') : value;
  if (!Array.isArray(entries) || !entries.every((entry) => typeof entry === 'string')) {
    throw refused(name, value, 'an array of texts or a comma-delimited text');
  }
  return entries.map((entry) => entry.trim()).filter((entry) => entry !== '');
}

/** An object whose values are texts. Empty when not given. */
export function readTexts(body: Body, name: string): Record<string, string> {
  const entries = Object.entries(readObject(body, name));
  for (const [, value] of entries) if (typeof value !== 'string') throw refused(name, value, 'texts as its values');
  return Object.fromEntries(entries) as Record<string, string>;
}

/** An object. Empty when not given. */
export function readObject(body: Body, name: string): Body {
  const value = own(body, name) ?? {};
  if (typeof value !== 'object' || Array.isArray(value)) throw refused(name, value, 'an object');
  return value as Body;
}

/** One of a closed set of texts, `undefined` when not given or empty. */
export function readChoice<const T extends string>(body: Body, name: string, choices: readonly T[]): T | undefined {
  const value = readText(body, name);
  if (value === undefined || value === '') return undefined;
  const choice = choices.find((candidate) => candidate === value);
  if (choice === undefined) throw refused(name, value, `one of ${choices.join(', ')}`);
  return choice;
}

function own(body: Body, name: string): unknown {
  return Object.hasOwn(body, name) ? (body[name] ?? undefined) : undefined;
}

function parseSeconds(text: string): number | undefined {
  if (/^\d{1,10}$/.test(text)) return Number(text);
  if (!/^(?:\d{1,10}[dhms])+$/.test(text)) return undefined;
  return [...text.matchAll(/(\d+)([dhms])/g)].reduce(
    (sum, [, amount, unit = 's']) => sum + Number(amount) * (SECONDS_PER_UNIT[unit] ?? 0),
    0,
  );
}

function refused(field: string, value: unknown, takes: string): AuthMethodError {
  const got = Array.isArray(value) ? 'an array' : `a value of type ${typeof value}`;
  return new AuthMethodError('invalid_request', `${field}: got ${got}; takes ${takes}`, { field });
}
