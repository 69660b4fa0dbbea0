import { constants, createHmac, sign } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { base64url, createKey, createScene, goodClaims, goodHeader, signRaw, tokenOf } from '../fake-directory.js';
import { goodInput } from './encoded-signature.js';

// Vectors of Project Wycheproof (json_web_signature) that are about the token's shape, its header and its algorithm. Those of other
// algorithms are carried over to RS256 where the deviation means something there.

const key = createKey('first');
const stranger = createKey('first');
const { validate } = createScene(key);
const good = tokenOf(key);
const [header = '', payload = '', signature = ''] = good.split('.');
const pem = key.publicKey.export({ type: 'spki', format: 'pem' });

/** A signature over a text as it stands, for inputs that are not canonical. */
function signed(input: string): string {
  return `${input}.${base64url(sign('sha256', Buffer.from(input), key.privateKey))}`;
}

/** A token that says one algorithm and is signed with another. */
function mixed(said: string, hash: string, padding = constants.RSA_PKCS1_PADDING): string {
  const input = `${base64url(JSON.stringify({ ...goodHeader(key), alg: said }))}.${payload}`;
  return `${input}.${base64url(sign(hash, Buffer.from(input), { key: key.privateKey, padding }))}`;
}

const { RSA_PKCS1_PSS_PADDING: PSS } = constants;
const json = { payload, signatures: [{ protected: header, header: { unknown: 'untrustworthy' }, signature }] };
const rest = signature.slice(1);

test.each<[string, string, string]>([
  ['J33', 'nothing changed', good],
  [
    'J376',
    'blanks in the header',
    signRaw(`{ "kid" : "${key.kid}", "alg" : "RS256" }`, JSON.stringify(goodClaims()), key),
  ],
  [
    'J377',
    'a line break in the header',
    signRaw(`{"kid":"${key.kid}",\n\t"alg":"RS256"}`, JSON.stringify(goodClaims()), key),
  ],
])('accepts %s: %s', async (_, _what, token) => {
  await expect(validate(token)).resolves.toHaveProperty('objectId', goodClaims()['oid']);
});

test.each<[string, string, string, string]>([
  [
    'J34',
    'token-signature',
    'another first character of the signature',
    `${header}.${payload}.${rest.charAt(0) === 'X' ? 'Y' : 'X'}${rest}`,
  ],
  ['J35', 'token-shape', 'no signature', `${header}.${payload}.`],
  ['J36', 'token-shape', 'no signature and no dot', `${header}.${payload}`],
  ['J37', 'token-signature', 'other claims', `${goodInput(key, { oid: 'another' })}.${signature}`],
  ['J38', 'token-shape', 'no claims', `${header}..${signature}`],
  ['J39', 'token-shape', 'no claims and no dot', `${header}.${signature}`],
  [
    'J40',
    'token-key',
    'another key id',
    `${base64url(JSON.stringify({ ...goodHeader(key), kid: 'Xirst' }))}.${payload}.${signature}`,
  ],
  ['J41', 'token-shape', 'no header', `.${payload}.${signature}`],
  ['J42', 'token-shape', 'no header and no dot', `${payload}.${signature}`],
  ['J43', 'token-shape', 'neither header nor signature', `.${payload}.`],
  ['J44', 'token-shape', 'claims alone', payload],
  ['J45', 'token-shape', 'an empty text', ''],
  ['J14', 'token-shape', 'an empty fourth segment', `${good}.`],
  ['J15', 'token-shape', 'a fourth segment', `${good}.foo`],
  [
    'J16',
    'token-shape',
    'the algorithm none and no signature',
    `${base64url(`{"alg":"none","kid":"${key.kid}"}`)}.${payload}.`,
  ],
  ['J17', 'token-shape', 'JSON serialisation', JSON.stringify(json)],
  ['J31', 'token-header', 'an HMAC with the public key', hmac('HS256')],
  ['J31', 'token-signature', 'an HMAC with the public key under the name of RS256', hmac('RS256')],
  ['J32', 'token-header', "the attacker's key in the header", tokenOf(stranger, {}, { jwk: stranger.jwk })],
  ['J331', 'token-header', 'RS256 under the name of PS512', mixed('PS512', 'sha256')],
  ['J333', 'token-header', 'RS384 under the name of PS512', mixed('PS512', 'sha384')],
  ['J335', 'token-header', 'RS512 under the name of PS512', mixed('PS512', 'sha512')],
  ['J334', 'token-header', 'RS384', mixed('RS384', 'sha384')],
  ['J336', 'token-header', 'RS512', mixed('RS512', 'sha512')],
  ['J338', 'token-header', 'PS256', mixed('PS256', 'sha256', PSS)],
  ['J340', 'token-header', 'PS384', mixed('PS384', 'sha384', PSS)],
  ['J334', 'token-signature', 'RS384 under the name of RS256', mixed('RS256', 'sha384')],
  ['J336', 'token-signature', 'RS512 under the name of RS256', mixed('RS256', 'sha512')],
  ['J337', 'token-signature', 'PS256 under the name of RS256', mixed('RS256', 'sha256', PSS)],
  ['J339', 'token-signature', 'PS384 under the name of RS256', mixed('RS256', 'sha384', PSS)],
  ['J341', 'token-shape', 'the algorithm none, no key and no signature', `${base64url('{"alg":"none"}')}.${payload}.`],
  ['J342', 'token-shape', 'the algorithm NONE', `${base64url('{"alg":"NONE"}')}.${payload}.`],
  [
    'J343',
    'token-shape',
    'the algorithm none with a key of that name',
    `${base64url('{"alg":"none","kid":"none"}')}.${payload}.`,
  ],
  ['J344', 'token-header', 'the algorithm none with a signature', tokenOf(key, {}, { alg: 'none' })],
  ['J360', 'token-shape', 'blanks before the signature', `${header}.${payload}.    ${signature}`],
  ['J361', 'token-shape', 'a character before the signature', `${header}.${payload}.?${signature}`],
  ['J362', 'token-shape', 'a character after the signature', `${good}?`],
  ['J363', 'token-shape', 'a character that is none in the signature', `${header}.${payload}.?${rest}`],
  [
    'J364',
    'token-shape',
    'four characters that are none in the signature',
    `${header}.${payload}.????${signature.slice(4)}`,
  ],
  ['J365', 'token-shape', 'blanks after the header, signed', signed(`${header}    .${payload}`)],
  ['J366', 'token-shape', 'characters after the header, signed', signed(`${header}####.${payload}`)],
  ['J368', 'token-shape', 'blanks before the claims, signed', signed(`${header}.    ${payload}`)],
  ['J369', 'token-shape', 'characters before the claims, signed', signed(`${header}.####${payload}`)],
  ['J371', 'token-shape', 'a character before the claims, signed', signed(`${header}.?${payload}`)],
  [
    'J372',
    'token-shape',
    'a character in the header',
    `${header.slice(0, -1)}?${header.slice(-1)}.${payload}.${signature}`,
  ],
  ['J373', 'token-shape', 'a character after the claims', `${header}.${payload}?.${signature}`],
  ['J374', 'token-shape', 'unused bits in the claims', `${withUnusedBits()}.${signature}`],
  ['J375', 'token-shape', 'unused bits in the claims, signed', signed(withUnusedBits())],
])('refuses %s by %s: %s', async (_, rule, _what, token) => {
  await expect(validate(token)).rejects.toMatchObject({ code: 'login_denied', rule });
});

function hmac(alg: string): string {
  const input = `${base64url(JSON.stringify({ ...goodHeader(key), alg }))}.${payload}`;
  return `${input}.${createHmac('sha256', pem).update(input).digest('base64url')}`;
}

/** Claims of a length that leaves two bits of the last character unused, with one of these set. */
function withUnusedBits(): string {
  const claims = JSON.stringify(goodClaims());
  const encoded = base64url(claims.padEnd(Math.ceil(claims.length / 3) * 3 + 2));
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  return `${header}.${encoded.slice(0, -1)}${alphabet.charAt(alphabet.indexOf(encoded.slice(-1)) + 1)}`;
}
