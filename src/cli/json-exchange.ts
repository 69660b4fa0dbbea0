import { CommandFailure } from './command-failure.js';

/** An answer with its body as JSON; `undefined` when it is none. */
export interface JsonAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

/** What a request is made of. */
export interface JsonRequest {
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

const HEADER_VALUE = /^[\x20-\x7e]*$/;
const MAX_BODY = 1024 * 1024;

/**
 * Makes a request and waits for all of the answer, at most `timeout` milliseconds and one mebibyte. Redirects are not followed:
 * headers hold secrets.
 *
 * @param whom - whom it is sent to, for the sentence that says that it failed
 * @throws CommandFailure when there is no answer.
 */
export async function exchange(url: URL, timeout: number, request: JsonRequest, whom: string): Promise<JsonAnswer> {
  // What fetch says of a bad header shows its value.
  const bad = Object.entries(request.headers ?? {}).find(([, value]) => !HEADER_VALUE.test(value));
  if (bad !== undefined)
    throw new CommandFailure(`cannot ask ${whom}: the header ${bad[0]} takes printable characters`);
  try {
    const response = await fetch(url, { ...request, redirect: 'error', signal: AbortSignal.timeout(timeout) });
    const { status, headers } = response;
    return { status, headers, body: parseJson(await textOf(response)) };
  } catch (error) {
    throw new CommandFailure(`cannot reach ${whom} (${reasonOf(error)})`);
  }
}

/** The body as text. Whoever answers may not fill the memory, nor by a small body that unpacks into a large one. */
async function textOf({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > MAX_BODY) throw new Error('the answer is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** The innermost reason, such as ECONNREFUSED: the outer text of a failed fetch says nothing. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown reason';
  if (error.cause instanceof Error) return reasonOf(error.cause);
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** A member of an answer; `undefined` when there is none. */
export function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;
}

/** Text of others, fit for a terminal: of bounded length and without control characters. Empty for what is not text. */
export function printable(value: unknown): string {
  return typeof value === 'string' ? value.slice(0, 1000).replace(/\p{C}/gu, '?') : '';
}

/** JSON with what a terminal obeys escaped, which does not change its meaning. */
export function printableJson(value: unknown): string {
  return JSON.stringify(value, null, 2).replace(/[^\n\P{C}]/gu, (character) =>
    character.replace(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
  );
}

/**
 * Parses the address of a server.
 *
 * @param name - the option or environment variable that it comes from
 * @throws CommandFailure unless it is of HTTP and without credentials.
 */
export function parseUrl(name: string, text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    throw new CommandFailure(`${name}: got ${JSON.stringify(text)}; takes a URL such as https://secrets.example.com`);
  }
  if (url.username !== '' || url.password !== '') throw new CommandFailure(`${name}: takes a URL without credentials`);
  return url;
}
