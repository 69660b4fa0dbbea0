import { member } from './strict-json.js';
import type { JsonObject } from './strict-json.js';
import { refusal } from './token-rules.js';

/** Characters of a key id at most. */
export const MAX_KEY_ID_LENGTH = 256;

/** Parameters that bring or locate a key, change what is signed, or announce a token inside the token. */
const REFUSED_PARAMETERS = ['jwk', 'jku', 'x5u', 'x5c', 'crit', 'b64', 'zip', 'cty'];
const TYPES: readonly unknown[] = ['jwt', 'at+jwt'];

/** Checks the header and gives the id of the key that it names (rule `token-header`). */
export function readKeyId(header: JsonObject): string {
  if (member(header, 'alg') !== 'RS256') throw refusal('token-header', "The token's alg must be RS256.");

  const refused = REFUSED_PARAMETERS.find((name) => Object.hasOwn(header, name));
  if (refused !== undefined) throw refusal('token-header', `The token's header must not have ${refused}.`);

  const type = member(header, 'typ');
  if (type !== undefined && !(typeof type === 'string' && TYPES.includes(type.toLowerCase()))) {
    throw refusal('token-header', "The token's typ must be JWT or at+jwt.");
  }

  const kid = member(header, 'kid');
  if (typeof kid !== 'string' || kid === '' || kid.length > MAX_KEY_ID_LENGTH) {
    throw refusal('token-header', `The token's kid must be a string of 1 to ${MAX_KEY_ID_LENGTH} characters.`);
  }
  return kid;
}
