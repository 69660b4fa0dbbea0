/**
 * Reads the header `Retry-After`, in either of its two forms.
 *
 * @param now - Milliseconds since the Unix epoch, what the date form is reckoned from.
 * @returns Whole seconds, never negative; `undefined` without a readable header.
 */
export function parseRetryAfter(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d{1,9}$/.test(header)) return Number(header);
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil((date - now) / 1000));
}
