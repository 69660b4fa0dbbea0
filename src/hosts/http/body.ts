import { AuthMethodError } from '../../contract/index.js';

const MAX_DEPTH = 32;

// `curl --data` calls whatever it sends a form, and `fetch` calls it plain text.
const CONTENT_TYPES = new Set(['', 'application/json', 'application/x-www-form-urlencoded', 'text/plain']);

/**
 * Reads a JSON object from the body of a request; `undefined` when there is no body.
 *
 * @param limit - bytes that a body may have; no more than that, and one chunk, is ever held
 * @throws AuthMethodError `body_too_large`, or `invalid_request` for anything but a JSON object
 */
export async function readBody(request: Request, limit: number): Promise<Record<string, unknown> | undefined> {
  const [contentType = ''] = (request.headers.get('content-type') ?? '').split(';');
  if (!CONTENT_TYPES.has(contentType.trim().toLowerCase())) throw refused('its content type is not application/json');
  const bytes = await readBytes(request, limit);
  return bytes.length === 0 ? undefined : parseObject(bytes);
}

async function readBytes(request: Request, limit: number): Promise<Uint8Array> {
  const announced = request.headers.get('content-length');
  if (announced !== null && Number(announced) > limit) throw tooLarge(limit);
  try {
    // A body of announced length is cut at that length by every HTTP parser; only one without must be counted.
    if (announced !== null) return new Uint8Array(await request.arrayBuffer());
    return await readCounted(request, limit);
  } catch (cause) {
    if (cause instanceof AuthMethodError) throw cause;
    throw new AuthMethodError('invalid_request', 'the body ended before it was complete', { cause });
  }
}

async function readCounted(request: Request, limit: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of (request.body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > limit) throw tooLarge(limit);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function parseObject(bytes: Uint8Array): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    // The parser's own text would show parts of the body.
    throw refused('it is not valid JSON in UTF-8');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw refused('it is not a JSON object');
  if (isDeeperThan(value, MAX_DEPTH)) throw refused(`it is nested deeper than ${MAX_DEPTH} levels`);
  return value as Record<string, unknown>;
}

function isDeeperThan(value: object, levels: number): boolean {
  if (levels === 0) return true;
  return Object.values(value).some(
    (member) => typeof member === 'object' && member !== null && isDeeperThan(member as object, levels - 1),
  );
}

function tooLarge(limit: number): AuthMethodError {
  return new AuthMethodError('body_too_large', `the body is over the limit of ${limit} bytes`);
}

function refused(reason: string): AuthMethodError {
  return new AuthMethodError('invalid_request', `the body was refused: ${reason}`);
}
