const MAX_TEXT = 2048;
const MAX_STACK = 8192;
const MAX_ENTRIES = 64;
const MAX_DEPTH = 6;

/** Turns any value into a JSON value of bounded size. Never throws, whatever getters and `toJSON` of the value do. */
export function toLoggable(value: unknown, depth = 0): unknown {
  try {
    return convert(value, depth);
  } catch {
    return '[unreadable]';
  }
}

function convert(value: unknown, depth: number): unknown {
  switch (typeof value) {
    case 'string':
      return cut(value, MAX_TEXT);
    case 'number':
      return Number.isFinite(value) ? value : String(value);
    case 'boolean':
    case 'undefined':
      return value;
    case 'object':
      return value === null ? null : convertObject(value, depth);
    case 'bigint':
      return String(value);
    case 'function':
    case 'symbol':
      return `[${typeof value}]`;
  }
}

function convertObject(value: object, depth: number): unknown {
  // Also ends cycles.
  if (depth >= MAX_DEPTH) return '[deep]';
  if (value instanceof Error) return convertError(value, depth);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'invalid date' : value.toISOString();
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if (Array.isArray(value)) return value.slice(0, MAX_ENTRIES).map((entry) => toLoggable(entry, depth + 1));
  const keys = Object.keys(value).slice(0, MAX_ENTRIES);
  const source = value as Record<string, unknown>;
  return Object.fromEntries(keys.map((key) => [cut(key, MAX_TEXT), readProperty(source, key, depth)]));
}

function readProperty(source: Record<string, unknown>, key: string, depth: number): unknown {
  try {
    return toLoggable(source[key], depth + 1);
  } catch {
    return '[unreadable]';
  }
}

function convertError(error: Error & { code?: unknown }, depth: number): unknown {
  return {
    name: cut(error.name, MAX_TEXT),
    code: toLoggable(error.code, depth + 1),
    message: cut(error.message, MAX_TEXT),
    stack: error.stack === undefined ? undefined : cut(error.stack, MAX_STACK),
    cause: error.cause === undefined ? undefined : toLoggable(error.cause, depth + 1),
  };
}

function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length)}[${text.length - length} more]`;
}
