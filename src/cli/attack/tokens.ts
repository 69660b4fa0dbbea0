import { AUDIENCE } from './arena.js';
import type { Attack, AttackGroup } from './attack.js';
import { encode, forgery } from './forger.js';
import type { Members } from './forger.js';

const ATTACKERS_URL = 'https://attacker.example/keys';
const OTHER_TENANT = '11111111-2222-3333-4444-555555555555';

/** Who signed, with what, by which key. */
const SIGNATURES: readonly Attack[] = [
  forgery('alg none and no signature', 'token-shape', ({ header, segments: [, claims] }) => {
    return `${encode({ ...header, alg: 'none' })}.${claims}.`;
  }),
  forgery('alg none and a signature', 'token-header', (forger) => forger.withHeader({ alg: 'none' })),
  forgery('the signature taken off', 'token-shape', ({ segments: [head, claims] }) => `${head}.${claims}.`),
  forgery('HS256 with the public key as the secret', 'token-header', (forger) => forger.withPublicKeyAsSecret()),
  forgery('PS256', 'token-header', (forger) => forger.withPss('PS256')),
  forgery('PS256 that is called RS256', 'token-signature', (forger) => forger.withPss('RS256')),
  forgery('a key in the header', 'token-header', (forger) => forger.withOwnKey((jwk) => ({ jwk }))),
  ...['jku', 'x5u'].map((name) =>
    forgery(`the address of a key in ${name}`, 'token-header', (forger) =>
      forger.withOwnKey(() => ({ [name]: ATTACKERS_URL })),
    ),
  ),
  forgery('a certificate in the header', 'token-header', (forger) => forger.withOwnKey(() => ({ x5c: ['AAAA'] }))),
  forgery('crit', 'token-header', (forger) => forger.withHeader({ crit: ['exp'] })),
  forgery('b64 false', 'token-header', (forger) => forger.withHeader({ b64: false, crit: ['b64'] })),
  forgery('a token inside a token', 'token-shape', (forger) =>
    forger.sign({ ...forger.header, cty: 'JWT' }, forger.genuine),
  ),
  forgery('two kids', 'token-shape', (forger) => forger.sign(twice(forger.header, 'kid', 'attacker'), forger.claims)),
  forgery('another key under the published kid', 'token-signature', (forger) => forger.withOwnKey(() => ({}))),
  forgery(
    'other claims under the genuine signature',
    'token-signature',
    ({ claims, segments: [head, , signature] }) => {
      return `${head}.${encode({ ...claims, groups: [OTHER_TENANT] })}.${signature}`;
    },
  ),
];

/** Who issued it, and for whom. */
const ISSUERS: readonly Attack[] = [
  {
    title: 'a genuine token of another tenant',
    refusedBy: 'token-key',
    attempt: async (arena) => {
      const { web } = arena.inhabitants;
      const machine = arena.otherCloud.addVirtualMachine({ name: web.name, systemAssigned: true });
      const jwt = await arena.otherCloud.tokenFor(machine, { resource: AUDIENCE });
      return arena.refusalOf(await arena.loginOf({ from: web, as: web, fields: { jwt } }));
    },
  },
  forgery('the issuer of another tenant with a valid key', 'token-issuer', (forger) =>
    forger.withClaims({ iss: `https://sts.windows.net/${OTHER_TENANT}/` }),
  ),
  forgery('the tid of another tenant', 'token-tenant', (forger) => forger.withClaims({ tid: OTHER_TENANT })),
  forgery('the issuer of version 1 with the ver of version 2', 'token-version', (forger) =>
    forger.withClaims({ ver: '2.0' }),
  ),
  forgery('the issuer of version 1 that goes on like version 2', 'token-issuer', (forger) =>
    forger.withClaims({ iss: `${String(forger.claims['iss'])}v2.0`, ver: '2.0' }),
  ),
  ...(
    [
      ['aud goes on', `${AUDIENCE}.attacker.example`],
      ['aud has two slashes at its end', `${AUDIENCE}//`],
      ['aud is in upper case', AUDIENCE.toUpperCase()],
      ['aud is another service', 'https://management.azure.com/'],
      ['aud is an empty array', []],
      ['aud is an array with more than texts', [AUDIENCE, { aud: AUDIENCE }]],
      ['aud is an array in an array', [[AUDIENCE]]],
      ['aud is an object', { [AUDIENCE]: true }],
    ] as const
  ).map(([title, aud]) => forgery(title, 'token-audience', (forger) => forger.withClaims({ aud }))),
];

/** When it is valid, and what it is written in. */
const CLAIMS: readonly Attack[] = [
  forgery('no exp', 'token-expiry', (forger) => forger.withClaims({ exp: undefined })),
  ...['4102444800', 4102444800.5, 1e15, -1, null].map((exp) =>
    forgery(`exp is ${JSON.stringify(exp)}`, 'token-expiry', (forger) => forger.withClaims({ exp })),
  ),
  forgery('nbf is tomorrow', 'token-not-before', (forger) => forger.withClaims({ nbf: Number(forger.claims['exp']) })),
  forgery('a claim twice', 'token-shape', (forger) => forger.sign(forger.header, twice(forger.claims, 'oid', 'x'))),
  forgery('claims that are no UTF-8', 'token-shape', (forger) => {
    const json = Buffer.from(JSON.stringify({ ...forger.claims, x: '?' }));
    json[json.lastIndexOf('?')] = 0xff;
    return forger.sign(forger.header, json);
  }),
];

/** A10: what is done to tokens. */
export const FORGED_TOKENS: AttackGroup = {
  id: 'A10',
  title: 'the token of a machine, forged',
  attacks: [...SIGNATURES, ...ISSUERS, ...CLAIMS],
  legitimate: {
    title: 'the machine itself logs in, with a token of version 2',
    pose: ({ web }) => ({ from: web, token: { version: 2 }, as: web }),
  },
};

/** A JSON object with one of its members a first time before all others. */
function twice(object: Members, name: string, value: string): string {
  return `{${JSON.stringify(name)}:${JSON.stringify(value)},${JSON.stringify(object).slice(1)}`;
}
