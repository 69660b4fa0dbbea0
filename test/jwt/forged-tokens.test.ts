import { createHmac, generateKeyPairSync, sign, constants } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { TOKEN_RULES } from '../../src/jwt/index.js';
import {
  base64url,
  createKey,
  createScene,
  goodClaims,
  goodHeader,
  ISSUER_V1,
  ISSUER_V2,
  signRaw,
  tokenOf,
} from './fake-directory.js';

const key = createKey('first');
const strange = createKey('strange');
const header = JSON.stringify(goodHeader(key));
const payload = JSON.stringify(goodClaims());
const good = tokenOf(key);
const [goodHead = '', goodBody = '', goodSignature = ''] = good.split('.');

async function refusedRule(token: string): Promise<unknown> {
  const { validate, directory } = createScene(key);
  await expect(validate(token)).rejects.toMatchObject({ code: 'login_denied' });
  const error = (await validate(token).catch((reason: unknown) => reason)) as { rule: string; message: string };
  expect(TOKEN_RULES).toContain(error.rule);
  for (const segment of token.split('.').filter((part) => part.length > 20)) {
    expect(error.message).not.toContain(segment.slice(0, 20));
  }
  const keyRules = ['token-shape', 'token-header'];
  if (keyRules.includes(error.rule)) expect(directory.requests).toHaveLength(0);
  return error.rule;
}

/** A token whose header says anything and whose signature is right for RS256. */
function withHeader(parameters: Record<string, unknown>): string {
  return tokenOf(key, {}, parameters);
}

function hmacToken(secret: string | Buffer, alg = 'HS256'): string {
  const input = `${base64url(JSON.stringify({ ...goodHeader(key), alg }))}.${goodBody}`;
  return `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`;
}

function asymmetricToken(alg: string, make: (input: Buffer) => Buffer): string {
  const input = `${base64url(JSON.stringify({ ...goodHeader(key), alg }))}.${goodBody}`;
  return `${input}.${make(Buffer.from(input)).toString('base64url')}`;
}

test('the unchanged token is accepted', async () => {
  await expect(createScene(key).validate(good)).resolves.toHaveProperty('objectId', goodClaims()['oid']);
});

describe('algorithms', () => {
  const pem = key.publicKey.export({ type: 'spki', format: 'pem' });
  const der = key.publicKey.export({ type: 'spki', format: 'der' });
  const elliptic = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;

  test.each<[string, string]>([
    ['none with a signature', withHeader({ alg: 'none' })],
    ['None in another case', withHeader({ alg: 'nOnE' })],
    ['HS256 with the public key as PEM', hmacToken(pem)],
    ['HS256 with the public key as DER', hmacToken(der)],
    ['HS256 with the public key as JWK', hmacToken(JSON.stringify(key.jwk))],
    ['HS256 with the modulus', hmacToken(Buffer.from(String(key.jwk['n']), 'base64url'))],
    ['ES256', asymmetricToken('ES256', (input) => sign('sha256', input, elliptic))],
    ['RS384', asymmetricToken('RS384', (input) => sign('sha384', input, key.privateKey))],
    [
      'PS256',
      asymmetricToken('PS256', (input) =>
        sign('sha256', input, { key: key.privateKey, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 }),
      ),
    ],
    ['rs256 in lower case', withHeader({ alg: 'rs256' })],
    ['no alg', withHeader({ alg: undefined })],
    ['an array of algorithms', withHeader({ alg: ['RS256'] })],
  ])('refuses %s', async (_, token) => {
    expect(await refusedRule(token)).toBe('token-header');
  });

  test('refuses a PS256 signature under the name of RS256', async () => {
    const token = asymmetricToken('RS256', (input) =>
      sign('sha256', input, { key: key.privateKey, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 }),
    );
    expect(await refusedRule(token)).toBe('token-signature');
  });

  test('refuses an HMAC under the name of RS256', async () => {
    expect(await refusedRule(hmacToken(pem, 'RS256'))).toBe('token-signature');
  });
});

describe('headers', () => {
  const nested = { typ: 'JWT', alg: 'RS256', kid: key.kid, cty: 'JWT' };

  test.each<[string, string]>([
    ['an embedded key', withHeader({ jwk: key.jwk })],
    ['an embedded key of the attacker', tokenOf(strange, {}, { kid: key.kid, jwk: strange.jwk })],
    ['a key URL', withHeader({ jku: 'https://attacker.example/keys' })],
    ['a certificate URL', withHeader({ x5u: 'https://attacker.example/cert' })],
    ['a certificate', withHeader({ x5c: ['AAAA'] })],
    ['an empty crit', withHeader({ crit: [] })],
    ['crit with an extension', withHeader({ crit: ['exp'], exp: 1 })],
    ['b64 false and critical', withHeader({ b64: false, crit: ['b64'] })],
    ['b64 false alone', withHeader({ b64: false })],
    ['b64 true', withHeader({ b64: true })],
    ['compression', withHeader({ zip: 'DEF' })],
    ['a token inside', signRaw(JSON.stringify(nested), good, key)],
    ['a content type', withHeader({ cty: 'JWT' })],
    ['a null parameter that is refused', withHeader({ jwk: null })],
    ['another typ', withHeader({ typ: 'JOSE' })],
    ['a typ that is not text', withHeader({ typ: ['JWT'] })],
    ['no kid', withHeader({ kid: undefined })],
    ['an empty kid', withHeader({ kid: '' })],
    ['a long kid', withHeader({ kid: 'k'.repeat(257) })],
    ['two kids in an array', withHeader({ kid: [key.kid, strange.kid] })],
    ['a kid from the prototype', signRaw(`{"alg":"RS256","__proto__":{"kid":"${key.kid}"}}`, payload, key)],
  ])('refuses %s', async (name, token) => {
    expect(await refusedRule(token)).toBe(name === 'a token inside' ? 'token-shape' : 'token-header');
  });

  test.each([undefined, 'JWT', 'jwt', 'at+jwt', 'AT+JWT'])('takes typ %p', async (typ) => {
    await expect(createScene(key).validate(withHeader({ typ }))).resolves.toHaveProperty('groupOverage');
  });

  test.each(['__proto__', 'constructor', 'toString'])('knows no key called %s', async (kid) => {
    expect(await refusedRule(withHeader({ kid }))).toBe('token-key');
  });
});

describe('shapes', () => {
  const doubled = (json: string, member: string): string => `{${member},${json.slice(1)}`;
  const spliced = (json: string, bytes: number[]): Buffer => {
    const text = Buffer.from(json);
    return Buffer.concat([text.subarray(0, -1), Buffer.from(',"x":"'), Buffer.from(bytes), Buffer.from('"}')]);
  };

  test.each<[string, string]>([
    ['nothing', ''],
    ['dots', '..'],
    ['two segments', `${goodHead}.${goodBody}`],
    ['an empty signature', `${goodHead}.${goodBody}.`],
    ['alg none without a signature', `${base64url('{"alg":"none"}')}.${goodBody}.`],
    ['an empty payload', `${goodHead}..${goodSignature}`],
    ['four segments', `${good}.AAAA`],
    ['five segments, as encrypted tokens have', `${good}.AAAA.AAAA`],
    ['a trailing dot', `${good}.`],
    ['a leading space', ` ${good}`],
    ['a trailing line break', `${good}\n`],
    ['a space inside', good.replace('.', '. ')],
    ['a tab in the signature', `${goodHead}.${goodBody}.${goodSignature.slice(0, 9)}\t${goodSignature.slice(9)}`],
    ['a null character', `${good}\0`],
    ['padding', `${good}==`],
    ['the standard base64 alphabet', `${goodHead}.${goodBody}.${goodSignature.slice(0, -4)}+/AA`],
    ['letters beyond ASCII', `${good}é`],
    ['a dangling character', `${goodHead}.${goodBody}.${goodSignature}AAA`],
    ['stray bits in the signature', `${goodHead}.${goodBody}.${goodSignature.slice(0, -1)}${strayBits(goodSignature)}`],
    ['a bearer prefix', `Bearer ${good}`],
    ['JSON serialisation', JSON.stringify({ protected: goodHead, payload: goodBody, signature: goodSignature })],
    ['a header named twice', signRaw(doubled(header, '"kid":"strange"'), payload, key)],
    ['two kids that are equal', signRaw(doubled(header, `"kid":"${key.kid}"`), payload, key)],
    ['a claim named twice', signRaw(header, doubled(payload, '"oid":"other"'), key)],
    ['a claim named twice, once escaped', signRaw(header, doubled(payload, '"\\u006fid":"other"'), key)],
    ['__proto__ named twice', signRaw(header, doubled(payload, '"__proto__":1,"__proto__":2'), key)],
    ['a nested claim named twice', signRaw(header, doubled(payload, '"x":[{"a":{"b":1,"b":1}}]'), key)],
    ['a nested claim that is lost with its parent', signRaw(header, doubled(payload, '"x":{"a":1},"x":{}'), key)],
    ['a byte that is not UTF-8', signRaw(header, spliced(payload, [0xff]), key)],
    ['an overlong encoding', signRaw(header, spliced(payload, [0xc0, 0xaf]), key)],
    ['an encoded surrogate', signRaw(header, spliced(payload, [0xed, 0xa0, 0x80]), key)],
    ['a byte order mark', signRaw(header, `\ufeff${payload}`, key)],
    ['UTF-16', signRaw(header, Buffer.from(payload, 'utf16le'), key)],
    ['a header that is not UTF-8', signRaw(spliced(header, [0xff]), payload, key)],
    ['claims in an array', signRaw(header, `[${payload}]`, key)],
    ['a null payload', signRaw(header, 'null', key)],
    ['a header that is text', signRaw('"RS256"', payload, key)],
    ['a comment', signRaw(header, `/**/${payload}`, key)],
    ['a trailing comma', signRaw(header, `${payload.slice(0, -1)},}`, key)],
    ['two payloads', signRaw(header, `${payload}${payload}`, key)],
    ['deep nesting that does not end', signRaw(header, '['.repeat(9000), key)],
    ['16 KiB and one character', `${good}${'A'.repeat(16 * 1024 + 1 - good.length)}`],
    ['sixteen thousand dots', '.'.repeat(16 * 1024)],
  ])('refuses %s', async (_, token) => {
    expect(await refusedRule(token)).toBe('token-shape');
  });

  test('takes deep nesting, and colons, quotes and braces in strings', async () => {
    const odd = `${payload.slice(0, -1)},"a":"\\"b\\\\\\":{","c\\"d:":${'[{"x":'.repeat(1000)}1${'}]'.repeat(1000)}}`;
    await expect(createScene(key).validate(signRaw(header, odd, key))).resolves.toHaveProperty('groupOverage', false);
  });
});

describe('signatures', () => {
  test.each<[string, string]>([
    ['a key that is not published', tokenOf(strange, {}, { kid: key.kid })],
    ['a changed payload', `${goodHead}.${base64url(payload.replace('6b1ecbf3', '6b1ecbf4'))}.${goodSignature}`],
    ['a changed header', `${base64url(JSON.stringify({ ...goodHeader(key), x: 1 }))}.${goodBody}.${goodSignature}`],
    ['a short signature', `${goodHead}.${goodBody}.AAAA`],
    ['a signature of zeros', `${goodHead}.${goodBody}.${base64url(Buffer.alloc(256))}`],
    ['the signature of another token', `${goodHead}.${goodBody}.${tokenOf(key, { x: 1 }).split('.')[2] ?? ''}`],
  ])('refuses %s', async (_, token) => {
    expect(await refusedRule(token)).toBe('token-signature');
  });

  test('refuses, after the token was recognised, the same token with another signature', async () => {
    const { validate } = createScene(key);
    await validate(good);
    await validate(good);
    const forged = `${goodHead}.${goodBody}.${tokenOf(key, { x: 1 }).split('.')[2] ?? ''}`;
    await expect(validate(forged)).rejects.toMatchObject({ rule: 'token-signature' });
  });
});

describe('issuers', () => {
  const v2Key = createKey('second');

  test('refuses a token of the v2 issuer signed with a key of the v1 issuer, and the other way round', async () => {
    const { directory, validate } = createScene(key);
    directory.published.v2 = [v2Key.jwk];
    await expect(validate(tokenOf(key, {}, {}, 'v2'))).rejects.toMatchObject({ rule: 'token-key' });
    await expect(validate(tokenOf(v2Key))).rejects.toMatchObject({ rule: 'token-key' });
    await expect(validate(tokenOf(v2Key, {}, {}, 'v2'))).resolves.toHaveProperty('groupOverage', false);
  });

  test.each<[string, 'v1' | 'v2', Record<string, unknown>]>([
    ['another tenant', 'v1', { iss: ISSUER_V1.replace('72f988bf', '72f988b0') }],
    ['another tenant, version 2', 'v2', { iss: ISSUER_V2.replace('72f988bf', '72f988b0') }],
    ['another authority', 'v2', { iss: ISSUER_V2.replace('authority', 'attacker') }],
    ['a fragment', 'v1', { iss: `${ISSUER_V1}#` }],
  ])('refuses an issuer with a valid key: %s', async (_, version, claims) => {
    expect(await refusedRule(tokenOf(key, claims, {}, version))).toBe('token-issuer');
  });
});

/** The last character of a 342-character signature has four unused bits; the next character differs in those only. */
function strayBits(signature: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  return alphabet.charAt(alphabet.indexOf(signature.slice(-1)) + 1);
}
