import { isUtf8 } from 'node:buffer';

/** A parsed JSON object. Read it with {@link member}: inherited names are none of its members. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** The object's own member, or `undefined`. */
export function member(object: JsonObject, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/** Whether a JSON value is an object and not an array. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Parses what can be read in one way only: well-formed UTF-8 of a JSON object in which, at every level, no member is named
 * twice. `undefined` for anything else.
 */
export function parseStrictObject(bytes: Buffer): JsonObject | undefined {
  if (!isUtf8(bytes)) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString());
  } catch {
    return undefined;
  }
  return isJsonObject(value) && countParsedMembers(value) === countWrittenMembers(bytes) ? value : undefined;
}

const QUOTE = '"'.charCodeAt(0);
const BACKSLASH = '\\'.charCodeAt(0);
const COLON = ':'.charCodeAt(0);

/** In JSON known to be valid, each colon outside a string belongs to one member. */
function countWrittenMembers(json: Uint8Array): number {
  let members = 0;
  let insideString = false;
  for (let i = 0; i < json.length; i++) {
    const byte = json[i];
    if (byte === BACKSLASH) i++;
    else if (byte === QUOTE) insideString = !insideString;
    else if (byte === COLON && !insideString) members++;
  }
  return members;
}

/** The parser keeps the last of several members with one name, so what is missing here was a duplicate. */
function countParsedMembers(root: JsonObject): number {
  let members = 0;
  const pending: object[] = [root];
  for (const container of pending) {
    const values: unknown[] = Array.isArray(container) ? container : Object.values(container);
    if (!Array.isArray(container)) members += values.length;
    for (const value of values) {
      if (typeof value === 'object' && value !== null) pending.push(value);
    }
  }
  return members;
}
