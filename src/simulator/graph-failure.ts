import { randomUUID } from 'node:crypto';
import type { Answer } from './exchange.js';

/** Why Graph does not do what it is asked to, in the provider's words. */
export class GraphFailure extends Error {
  override readonly name = 'GraphFailure';

  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

/** The request is not what it should be. */
export function badRequest(message: string): GraphFailure {
  return new GraphFailure(400, 'Request_BadRequest', message);
}

/** The caller may not do this. */
export function denied(): GraphFailure {
  return new GraphFailure(403, 'Authorization_RequestDenied', 'Insufficient privileges to complete the operation.');
}

/** There is no object with that id. */
export function notFound(id: string): GraphFailure {
  const message = `Resource '${id}' does not exist or one of its queried reference-property objects are not present.`;
  return new GraphFailure(404, 'Request_ResourceNotFound', message);
}

/** The path does not have that method. */
export function methodNotServed(method: string): GraphFailure {
  return new GraphFailure(405, 'Request_BadRequest', `${method} is not served here.`);
}

/**
 * The members of a JSON body.
 * @throws {@link GraphFailure} when it is no JSON object.
 */
export function readJsonObject(body: string): Partial<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(body);
    if (typeof value === 'object' && value !== null) return { ...value };
  } catch {
    // Said below.
  }
  throw badRequest(
    'Unable to read JSON request payload. Please ensure Content-Type header is set and payload is of valid JSON format.',
  );
}

/** The answer that tells of a failure. `now` is in milliseconds since the Unix epoch. */
export function failureAnswer({ status, code, message }: GraphFailure, now: number): Answer {
  const requestId = randomUUID();
  const date = new Date(now).toISOString().slice(0, 19);
  const innerError = { date, 'request-id': requestId, 'client-request-id': requestId };
  return { status, headers: { 'request-id': requestId }, body: { error: { code, message, innerError } } };
}
