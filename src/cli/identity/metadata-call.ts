import { CommandFailure } from '../command-failure.js';
import { exchange, member, printable } from '../json-exchange.js';
import type { JsonAnswer } from '../json-exchange.js';

const TIMEOUT = 5_000;

/**
 * Asks a metadata service.
 *
 * @param hint - follows the address in the sentence that says that it cannot be reached
 */
export function askMetadata(
  url: URL,
  headers: Readonly<Record<string, string>>,
  query: Readonly<Record<string, string>>,
  hint = '',
): Promise<JsonAnswer> {
  const target = new URL(url);
  for (const [name, value] of Object.entries(query)) target.searchParams.set(name, value);
  return exchange(target, TIMEOUT, { headers }, `the metadata service at ${url.origin}${hint}`);
}

/** The body of an answer; the metadata service's own reason as a failure when it is a refusal. */
export function bodyOf({ status, body }: JsonAnswer, { pathname }: URL): unknown {
  if (status === 200) return body;
  const reason = ['error_description', 'message', 'error'].map((name) => printable(member(body, name))).find(Boolean);
  throw new CommandFailure(`the metadata service refused ${pathname} (${status}): ${reason ?? 'no reason given'}`);
}

/** The text of that name in an answer. */
export function textIn(body: unknown, name: string): string {
  const text = member(body, name);
  if (typeof text !== 'string') throw new CommandFailure(`the metadata service answered without ${name}`);
  return text;
}
