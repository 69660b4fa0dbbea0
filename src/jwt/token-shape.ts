import { LRUCache } from 'lru-cache';
import { parseStrictObject } from './strict-json.js';
import type { JsonObject } from './strict-json.js';
import { refusal } from './token-rules.js';

/** Characters of a token at most. */
export const MAX_TOKEN_LENGTH = 16 * 1024;

/** Headers remembered. Tokens of one signing key share theirs, so a handful is in use. */
const MAX_HEADERS = 64;

/** A token taken apart; nothing in it is verified. */
export interface ParsedToken {
  readonly header: JsonObject;
  readonly claims: JsonObject;
}

/** Takes compact tokens apart (rule `token-shape`). */
export class TokenParser {
  readonly #headers = new LRUCache<string, JsonObject>({ max: MAX_HEADERS });

  /** Refuses anything that could be read in two ways. */
  parse(jwt: string): ParsedToken {
    const [header, claims, signature, more] = jwt.split('.', 4);
    if (!header || !claims || !signature || more !== undefined) {
      throw refusal('token-shape', 'The token must be three base64url segments separated by dots.');
    }
    decodeSegment(signature, 'signature');
    return { header: this.#parseHeader(header), claims: parseSegment(claims, 'claims') };
  }

  #parseHeader(segment: string): JsonObject {
    let header = this.#headers.get(segment);
    if (header === undefined) {
      header = parseSegment(segment, 'header');
      // A copy: the engine's substring would keep the whole token in memory.
      this.#headers.set(Buffer.from(segment).toString(), header);
    }
    return header;
  }
}

/** Refuses a token that is too long to look at. */
export function checkLength(jwt: string): void {
  if (jwt.length > MAX_TOKEN_LENGTH) {
    throw refusal('token-shape', `The token has ${jwt.length} characters; at most ${MAX_TOKEN_LENGTH} are taken.`);
  }
}

function parseSegment(segment: string, name: string): JsonObject {
  const object = parseStrictObject(decodeSegment(segment, name));
  if (object === undefined) {
    throw refusal('token-shape', `The token's ${name} must be a JSON object in UTF-8 without duplicate members.`);
  }
  return object;
}

/** Buffer skips what is not base64url; comparing the way back refuses that, padding and stray bits alike. */
function decodeSegment(segment: string, name: string): Buffer {
  const bytes = Buffer.from(segment, 'base64url');
  if (bytes.toString('base64url') !== segment) {
    throw refusal('token-shape', `The token's ${name} must be canonical base64url without padding.`);
  }
  return bytes;
}
