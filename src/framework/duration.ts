const SECONDS_PER_UNIT: Readonly<Record<string, number>> = { d: 86_400, h: 3_600, m: 60, s: 1, ms: 0.001 };
const DURATION = /^(?:\d{1,10}(?:d|h|ms|m|s))+$/;
const PART = /(\d+)(d|h|ms|m|s)/g;

/** Longest duration taken, in seconds: what still fits 64 bits of nanoseconds, the unit of other secrets servers. */
export const MAX_DURATION = 9_223_372_036;

/**
 * Reads a duration: whole seconds as a number or digits, or parts such as `1h30m` with the units `d`, `h`, `m`, `s`, `ms`.
 * The empty text is zero: clients send it for "not set" (spec 2.2).
 *
 * @returns seconds, or `undefined` for anything else: negative, fractional, unknown unit, longer than {@link MAX_DURATION}
 */
export function parseDuration(raw: unknown): number | undefined {
  const seconds = typeof raw === 'string' ? fromText(raw.trim()) : raw;
  if (typeof seconds !== 'number' || !(seconds >= 0) || seconds > MAX_DURATION) return undefined;
  return typeof raw === 'number' && !Number.isInteger(raw) ? undefined : seconds;
}

function fromText(text: string): number | undefined {
  if (/^\d{0,10}$/.test(text)) return Number(text);
  if (!DURATION.test(text)) return undefined;
  let milliseconds = 0;
  for (const [, amount, unit] of text.matchAll(PART)) {
    milliseconds += Math.round(Number(amount) * (SECONDS_PER_UNIT[unit ?? ''] ?? 0) * 1000);
  }
  return milliseconds / 1000;
}

/** Writes seconds the way the spec does, for instance `4s` or `1500ms`. */
export function formatDuration(seconds: number): string {
  return Number.isInteger(seconds) ? `${seconds}s` : `${Math.round(seconds * 1000)}ms`;
}
