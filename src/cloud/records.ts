/** Whether a JSON value is an object; arrays are not. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether a JSON value is a text that says something. */
export function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
