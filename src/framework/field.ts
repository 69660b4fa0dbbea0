import { isAddressBlock } from '../contract/index.js';
import { MAX_DURATION, parseDuration } from './duration.js';

/** The part of JSON Schema that fields use. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** What the documentation and the error texts know about a field. */
export interface FieldOptions<T> {
  readonly description: string;
  /** Value in force when the field was never given. Absent: there is none. */
  readonly default?: T;
  readonly required?: boolean;
  /** Set for an old name of another field: that field's name. */
  readonly deprecatedFor?: string;
}

/**
 * One field of a request body. `schema` checks the shape of what came over the wire; `parse` turns it into a value, or into
 * `undefined` when it is out of range.
 */
export interface Field<T = unknown> extends FieldOptions<T> {
  /** Name of the kind, for documentation. */
  readonly kind: 'string' | 'secret string' | 'integer' | 'boolean' | 'duration' | 'list' | 'CIDR list';
  /** Completes the sentence "takes ...". */
  readonly takes: string;
  /** Its value appears in no error, log or documentation. */
  readonly secret: boolean;
  readonly schema: JsonSchema;
  parse(raw: unknown): T | undefined;
}

/** Fields of one path by their wire names. */
export type Fields = Readonly<Record<string, Field>>;

/** Parsed values of those fields that were given. */
export type FieldValues<F extends Fields> = { readonly [K in keyof F]?: F[K] extends Field<infer T> ? T : never };

const MAX_TEXT = 2048;

interface TextOptions extends FieldOptions<string> {
  readonly takes?: string;
  readonly pattern?: RegExp;
  /** A check that no pattern can make. */
  readonly accepts?: (text: string) => boolean;
  readonly secret?: boolean;
  /** Characters, default 2048. */
  readonly maxLength?: number;
}

interface RangeOptions extends FieldOptions<number> {
  /** Default 0. */
  readonly minimum?: number;
}

interface ListOptions extends FieldOptions<readonly string[]> {
  readonly takes?: string;
  /** Every entry must match. */
  readonly pattern?: RegExp;
  readonly lowerCase?: boolean;
}

/** A field whose default and successor, if given, keep their exact types. */
type FieldOf<T, O> = Field<T> & Pick<O, Extract<keyof O, 'default' | 'deprecatedFor'>>;

/** Text. `pattern` must match the whole of it; `takes` then says what that means. An empty text passes unless required. */
export function stringField<O extends TextOptions>(options: O): FieldOf<string, O> {
  const { takes, pattern, accepts, secret = false, maxLength = MAX_TEXT, required = false } = options;
  return field(options, {
    kind: secret ? 'secret string' : 'string',
    takes: takes ?? `text of at most ${maxLength} characters`,
    secret,
    schema: { type: 'string' },
    parse: (raw) => {
      const text = raw as string;
      if (text === '') return required ? undefined : text;
      if (text.length > maxLength) return undefined;
      return pattern?.test(text) === false || accepts?.(text) === false ? undefined : text;
    },
  });
}

/** One of a closed set of texts. */
export function choiceField<const T extends string, O extends FieldOptions<T>>(
  options: O & { readonly choices: readonly T[] },
): FieldOf<T, O> {
  return field(options, {
    kind: 'string',
    takes: `one of ${options.choices.map((choice) => JSON.stringify(choice)).join(', ')}`,
    secret: false,
    schema: { type: 'string', enum: options.choices },
    parse: (raw) => raw as T,
  });
}

/** A whole number, as a number or as digits. */
export function integerField<O extends RangeOptions & { readonly maximum?: number }>(options: O): FieldOf<number, O> {
  const { minimum = 0, maximum = Number.MAX_SAFE_INTEGER } = options;
  return field(options, {
    kind: 'integer',
    takes: `a whole number from ${minimum} to ${maximum}`,
    secret: false,
    schema: { anyOf: [{ type: 'integer' }, { type: 'string', pattern: '^-?[0-9]{1,16}$' }] },
    parse: (raw) => {
      const value = Number(raw);
      return Number.isSafeInteger(value) && value >= minimum && value <= maximum ? value : undefined;
    },
  });
}

/** `true` or `false`, as a boolean or as text. */
export function booleanField<O extends FieldOptions<boolean>>(options: O): FieldOf<boolean, O> {
  return field(options, {
    kind: 'boolean',
    takes: 'true or false',
    secret: false,
    schema: { enum: [true, false, 'true', 'false'] },
    parse: (raw) => raw === true || raw === 'true',
  });
}

/** A duration; the value is in seconds. Whole seconds unless `fractions` is set. Zero passes whatever the minimum: it means "off". */
export function durationField<O extends RangeOptions & { readonly fractions?: boolean }>(
  options: O,
): FieldOf<number, O> {
  const { minimum = 0, fractions = false } = options;
  const range = minimum > 0 ? `from ${minimum} to ${MAX_DURATION} seconds` : `of at most ${MAX_DURATION} seconds`;
  return field(options, {
    kind: 'duration',
    takes: `whole seconds or a duration such as "1h30m", ${range}`,
    secret: false,
    schema: { anyOf: [{ type: 'integer' }, { type: 'string', maxLength: 64 }] },
    parse: (raw) => {
      const seconds = parseDuration(raw);
      if (seconds === undefined || (!fractions && !Number.isInteger(seconds))) return undefined;
      return seconds === 0 || seconds >= minimum ? seconds : undefined;
    },
  });
}

/**
 * Texts, as an array or as one comma-delimited text. Blanks around them are dropped, repeats too. An empty text in an array is
 * refused, and so is a text of commas alone: it is an unset variable of some template, and dropping it could empty a list that
 * restricts.
 */
export function listField<O extends ListOptions>(options: O): FieldOf<readonly string[], O> {
  const { takes, pattern, lowerCase = false } = options;
  return field<readonly string[], O>(options, {
    kind: 'list',
    takes: takes ?? 'an array of texts or a comma-delimited text',
    secret: false,
    schema: LIST_SCHEMA,
    parse: (raw) => {
      const entries = splitList(raw).map((entry) => (lowerCase ? entry.toLowerCase() : entry));
      const isValid = (entry: string): boolean =>
        entry !== '' && entry.length <= MAX_TEXT && pattern?.test(entry) !== false;
      return entries.every(isValid) ? [...new Set(entries)] : undefined;
    },
  });
}

/** Addresses and address blocks, given like a list. */
export function cidrListField<O extends FieldOptions<readonly string[]>>(options: O): FieldOf<readonly string[], O> {
  return field<readonly string[], O>(options, {
    kind: 'CIDR list',
    takes: 'an array or a comma-delimited text of addresses or blocks such as "10.0.0.0/8" or "2001:db8::/32"',
    secret: false,
    schema: LIST_SCHEMA,
    parse: (raw) => {
      const entries = splitList(raw);
      return entries.every(isAddressBlock) ? [...new Set(entries)] : undefined;
    },
  });
}

const LIST_SCHEMA: JsonSchema = { anyOf: [{ type: 'array', items: { type: 'string' } }, { type: 'string' }] };

function splitList(raw: unknown): string[] {
  if (typeof raw !== 'string') return (raw as string[]).map((entry) => entry.trim());
  const entries = raw
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
  return entries.length === 0 && raw.trim() !== '' ? [''] : entries;
}

function field<T, O extends FieldOptions<T>>(
  options: O,
  behaviour: Omit<Field<T>, keyof FieldOptions<T>>,
): FieldOf<T, O> {
  return { ...options, ...behaviour };
}
