import { inspect } from 'node:util';
import { Ajv } from 'ajv';
import { AuthMethodError } from '../contract/index.js';
import type { Fields, FieldValues } from './field.js';

const SHOWN = 64;
const UNKNOWN_NAMED = 10;

/** Turns an untrusted body into values, or throws `invalid_request` that names the field, what it got and what it takes. */
export type FieldReader<F extends Fields> = (
  data: Readonly<Record<string, unknown>>,
  warnings: string[],
) => FieldValues<F>;

/**
 * Makes the reader of a set of fields. Unknown fields are ignored, with a warning that names them. `null` means that the field
 * was not given. Only own properties count, so that `__proto__` and its kin are fields like any other: unknown ones.
 *
 * @param parameters - names that the path itself supplies: silently ignored in the body
 */
export function fieldReader<F extends Fields>(fields: F, parameters: readonly string[]): FieldReader<F> {
  const known = new Map(Object.entries(fields));
  const required = [...known].filter(([, field]) => field.required).map(([name]) => name);
  const properties = Object.fromEntries([...known].map(([name, field]) => [name, field.schema]));
  const hasRightShape = new Ajv({ ownProperties: true, strict: false }).compile({
    type: 'object',
    required,
    properties,
  });

  return (data, warnings) => {
    // Plain objects are safe here, and fast: only names of fields become keys.
    const given: Record<string, unknown> = {};
    const unknown: string[] = [];
    for (const name of Object.keys(data)) {
      if (known.has(name)) {
        if (data[name] !== null && data[name] !== undefined) given[name] = data[name];
      } else if (!parameters.includes(name)) {
        unknown.push(name);
      }
    }
    if (unknown.length > 0) warnings.push(unknownFieldsWarning(unknown));

    if (!hasRightShape(given)) {
      const error = hasRightShape.errors?.[0];
      const missing = (error?.params as { missingProperty?: string } | undefined)?.missingProperty;
      const name = missing ?? error?.instancePath.split('/')[1] ?? '';
      throw unacceptable(fields, name, given[name]);
    }
    const values: Record<string, unknown> = {};
    for (const [name, raw] of Object.entries(given)) {
      const value = known.get(name)?.parse(raw);
      if (value === undefined) throw unacceptable(fields, name, raw);
      values[name] = value;
    }
    return values as FieldValues<F>;
  };
}

function unacceptable(fields: Fields, name: string, raw: unknown): AuthMethodError {
  const field = fields[name];
  const got = raw === undefined ? 'is required' : `got ${field?.secret ? describeKind(raw) : show(raw)}`;
  return new AuthMethodError('invalid_request', `${name}: ${got}; takes ${field?.takes ?? 'nothing'}`, { field: name });
}

/** Shows an untrusted value in an error text: quoted, on one line, bounded. */
export function show(raw: unknown): string {
  if (typeof raw === 'string')
    return onOneLine(JSON.stringify(raw.slice(0, SHOWN))) + (raw.length > SHOWN ? '...' : '');
  if (Array.isArray(raw))
    return onOneLine(inspect(raw, { depth: 0, breakLength: Infinity, maxArrayLength: 5, maxStringLength: SHOWN }));
  return typeof raw === 'number' || typeof raw === 'boolean' ? String(raw) : `a value of type ${typeof raw}`;
}

// Quoting leaves line separators, terminal controls and reversals of the reading direction as they are.
function onOneLine(quoted: string): string {
  return quoted.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (sign) => `\\u{${sign.codePointAt(0)?.toString(16) ?? ''}}`);
}

function describeKind(raw: unknown): string {
  if (typeof raw === 'string') return raw === '' ? 'an empty text' : `a text of ${raw.length} characters`;
  return Array.isArray(raw) ? 'an array' : `a value of type ${typeof raw}`;
}

function unknownFieldsWarning(names: readonly string[]): string {
  const named = names.slice(0, UNKNOWN_NAMED).map(show).join(', ');
  const more = names.length > UNKNOWN_NAMED ? ` and ${names.length - UNKNOWN_NAMED} more` : '';
  return `unknown fields were ignored: ${named}${more}`;
}
