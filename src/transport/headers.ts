/** Headers of a request as sent: the transport's own win over the caller's, however those are spelled. */
export function toWireHeaders(
  headers: Readonly<Record<string, string>> | undefined,
  userAgent: string,
): Record<string, string> {
  const lowered = Object.entries(headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]);
  // Without compression, the bound on an answer's size is a bound on what it unpacks to.
  return {
    ...(Object.fromEntries(lowered) as Record<string, string>),
    'accept-encoding': 'identity',
    'user-agent': userAgent,
  };
}

/** Headers of an answer, repeated ones joined. */
export function fromWireHeaders(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Record<string, string> {
  const joined = Object.entries(headers).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.join(', ') : value,
  ]);
  return Object.fromEntries(joined) as Record<string, string>;
}
