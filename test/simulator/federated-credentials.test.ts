import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { decodeJwt } from 'jose';
import { startSimulator } from '../../src/simulator/index.js';
import type { Application, FederatedCredential, Simulator } from '../../src/simulator/index.js';
import { TestIssuer } from './assertion-issuer.js';
import { ask, postForm } from './support.js';
import type { Reply } from './support.js';
import { ManualClock } from '../support/clock.js';

const AUDIENCE = 'api://AzureADTokenExchange';
const SUBJECT = 'plugin-identity:root:auth:auth_cloud_1';
const JWT_BEARER = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
const CONFIGURATION = '/.well-known/openid-configuration';

const clock = new ManualClock();
let simulator: Simulator;
let issuer: TestIssuer;
let application: Application;

beforeAll(async () => {
  simulator = await startSimulator({ now: () => clock.now() });
});

beforeEach(async () => {
  issuer = await TestIssuer.start();
  application = simulator.addApplication({ federatedCredentials: [credential()] });
});

afterEach(() => issuer.close());

afterAll(() => simulator.close());

function credential(changes: Partial<FederatedCredential> = {}): FederatedCredential {
  return { issuer: issuer.url, subject: SUBJECT, audiences: [AUDIENCE], ...changes };
}

const seconds = (): number => Math.floor(clock.now() / 1000);

function claims(changes: Record<string, unknown> = {}): Record<string, unknown> {
  const now = seconds();
  return { iss: issuer.url, sub: SUBJECT, aud: AUDIENCE, iat: now, nbf: now, exp: now + 600, ...changes };
}

function present(assertion: string, changes: Record<string, string> = {}): Promise<Reply> {
  return postForm(simulator, `/${simulator.tenantId}/oauth2/v2.0/token`, {
    grant_type: 'client_credentials',
    client_id: application.clientId,
    client_assertion_type: JWT_BEARER,
    client_assertion: assertion,
    scope: 'https://management.azure.com/.default',
    ...changes,
  });
}

/** The number of the error; `undefined` when a token is answered. */
async function outcome(assertion: string): Promise<unknown> {
  const reply = await present(assertion);
  expect(reply.status === 200).toBe('access_token' in reply.json());
  return (reply.json()['error_codes'] as unknown[] | undefined)?.[0];
}

describe('an assertion', () => {
  test('of the issuer that the application trusts gets a token', async () => {
    const reply = await present(await issuer.sign(claims()));
    expect(reply.status).toBe(200);
    expect(decodeJwt(String(reply.json()['access_token']))).toMatchObject({
      appid: application.clientId,
      appidacr: '2',
      oid: application.principalId,
    });
    expect(issuer.requests).toEqual([CONFIGURATION, '/keys']);
  });

  test('of an issuer with a certificate of its own gets one', async () => {
    const secure = await TestIssuer.start('https');
    try {
      const untrusted = credential({ issuer: secure.url });
      application.federatedCredentials.push(untrusted);
      const assertion = await secure.sign(claims({ iss: secure.url }));
      expect(await outcome(assertion)).toBe(501661);
      application.federatedCredentials.push({ ...untrusted, audiences: ['other'], ca: secure.ca! });
      expect(await outcome(await secure.sign(claims({ iss: secure.url, aud: 'other' })))).toBeUndefined();
    } finally {
      await secure.close();
    }
  });

  test('of an issuer below a path gets one, be there a slash at its end or not', async () => {
    for (const name of [`${issuer.url}/v1/identity`, `${issuer.url}/v1/`]) {
      const path = new URL(name).pathname.replace(/\/$/, '');
      issuer.documents[`${path}${CONFIGURATION}`] = { issuer: name, jwks_uri: `${issuer.url}/keys` };
      application.federatedCredentials.push(credential({ issuer: name }));
      expect(await outcome(await issuer.sign(claims({ iss: name })))).toBeUndefined();
    }
  });

  test('may match any of several credentials', async () => {
    application.federatedCredentials.unshift(
      credential({ subject: 'other' }),
      credential({ audiences: ['other'] }),
      credential({ audiences: ['more', AUDIENCE] }),
    );
    expect(await outcome(await issuer.sign(claims()))).toBeUndefined();
    expect(await outcome(await issuer.sign(claims({ aud: ['more'] })))).toBeUndefined();
  });

  test.each<[string, () => Record<string, unknown>, number]>([
    ['another issuer', () => ({ iss: 'https://issuer.example' }), 700211],
    ['the issuer with a slash', () => ({ iss: `${issuer.url}/` }), 700211],
    ['no issuer', () => ({ iss: undefined }), 700211],
    ['another subject', () => ({ sub: 'plugin-identity:root:auth:other' }), 700213],
    ['the subject in capitals', () => ({ sub: SUBJECT.toUpperCase() }), 700213],
    ['another audience', () => ({ aud: 'api://other' }), 700212],
    ['no audience', () => ({ aud: undefined }), 700212],
    ['a second audience', () => ({ aud: [AUDIENCE, 'api://other'] }), 700212],
    ['an end that has come', () => ({ exp: seconds() }), 700024],
    ['a start that is to come', () => ({ nbf: seconds() + 1 }), 700024],
    ['no end', () => ({ exp: undefined }), 50027],
    ['an end that is no number', () => ({ exp: 'later' }), 50027],
  ])('with %s is refused', async (_what, changes, code) => {
    expect(await outcome(await issuer.sign(claims(changes())))).toBe(code);
  });

  test('is refused once it has expired', async () => {
    const assertion = await issuer.sign(claims());
    clock.advance(599_999);
    expect(await outcome(assertion)).toBeUndefined();
    clock.advance(1000);
    expect(await outcome(assertion)).toBe(700024);
  });

  test('with a signature of another key under the same id is refused', async () => {
    const assertion = await issuer.sign(claims());
    const other = await TestIssuer.start();
    const forged = await other.sign(claims());
    await other.close();
    expect(await outcome(assertion)).toBeUndefined();
    expect(await outcome(forged)).toBe(700027);
  });

  test('with claims changed after signing is refused', async () => {
    const [header, , signature] = (await issuer.sign(claims({ sub: 'other' }))).split('.');
    const changed = Buffer.from(JSON.stringify(claims())).toString('base64url');
    expect(await outcome(`${header!}.${changed}.${signature!}`)).toBe(700027);
  });

  test('signed in another way, or not at all, is refused', async () => {
    expect(await outcome(await issuer.sign(claims(), { alg: 'PS256' }))).toBe(50027);
    const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
    expect(await outcome(`${part({ alg: 'none', kid: 'first' })}.${part(claims())}.`)).toBe(50027);
    expect(await outcome('canary-not-a-token')).toBe(50027);
  });

  test('is of no use to an application that trusts nobody', async () => {
    application = simulator.addApplication();
    expect(await outcome(await issuer.sign(claims()))).toBe(70025);
    expect(issuer.requests).toEqual([]);
  });

  test('must come with its type', async () => {
    const assertion = await issuer.sign(claims());
    const reply = await present(assertion, { client_assertion_type: 'saml' });
    expect([reply.status, reply.json()]).toMatchObject([400, { error: 'invalid_request', error_codes: [900144] }]);
  });

  test('does not repeat itself in a refusal', async () => {
    const assertion = await issuer.sign(claims({ exp: seconds() }));
    expect((await present(assertion)).text).not.toContain(assertion);
  });
});

describe('the keys of an issuer', () => {
  test('are asked for again when an unknown one signs', async () => {
    expect(await outcome(await issuer.sign(claims()))).toBeUndefined();
    expect(await outcome(await issuer.sign(claims()))).toBeUndefined();
    expect(issuer.requests).toHaveLength(2);
    await issuer.addKey('second');
    expect(await outcome(await issuer.sign(claims(), {}, 'second'))).toBeUndefined();
    expect(issuer.requests).toHaveLength(4);
  });

  test('must be published', async () => {
    await issuer.addKey('hidden', false);
    expect(await outcome(await issuer.sign(claims(), {}, 'hidden'))).toBe(7000272);
  });

  test('are forgotten after an hour', async () => {
    await issuer.addKey('second');
    expect(await outcome(await issuer.sign(claims()))).toBeUndefined();
    issuer.publish(issuer.published[1]!);
    expect(await outcome(await issuer.sign(claims()))).toBeUndefined();
    clock.advance(3_600_000);
    expect(await outcome(await issuer.sign(claims()))).toBe(7000272);
  });

  test('may do without ids when there is but one', async () => {
    expect(await outcome(await issuer.sign(claims(), { kid: undefined! }))).toBeUndefined();
    await issuer.addKey('second');
    clock.advance(3_600_000);
    expect(await outcome(await issuer.sign(claims(), { kid: undefined! }))).toBe(7000272);
  });

  test('of the longest known issuers are forgotten when there are many', async () => {
    const names = Array.from({ length: 17 }, (_, index) => `${issuer.url}/${index}`);
    for (const name of names) {
      issuer.documents[`${new URL(name).pathname}${CONFIGURATION}`] = { issuer: name, jwks_uri: `${issuer.url}/keys` };
      application.federatedCredentials.push(credential({ issuer: name }));
      expect(await outcome(await issuer.sign(claims({ iss: name })))).toBeUndefined();
    }
    issuer.requests.length = 0;
    await outcome(await issuer.sign(claims({ iss: names[16]! })));
    expect(issuer.requests).toEqual([]);
    await outcome(await issuer.sign(claims({ iss: names[0]! })));
    expect(issuer.requests).toEqual([`/0${CONFIGURATION}`, '/keys']);
  });

  test.each<[string, (issuer: TestIssuer) => [string, unknown]]>([
    ['whose configuration is missing', () => [CONFIGURATION, undefined]],
    ['whose configuration is not JSON', () => [CONFIGURATION, 'issuer']],
    ['whose configuration is null', () => [CONFIGURATION, 'null']],
    ['whose configuration is of another', ({ url }) => [CONFIGURATION, { issuer: 'x', jwks_uri: `${url}/keys` }]],
    ['whose keys are nowhere', ({ url }) => [CONFIGURATION, { issuer: url }]],
    [
      'whose keys are not on a secure site',
      ({ url }) => [CONFIGURATION, { issuer: url, jwks_uri: 'http://x.invalid/' }],
    ],
    ['whose key set is missing', () => ['/keys', undefined]],
    ['whose key set has no keys', () => ['/keys', {}]],
    ['whose keys are odd', () => ['/keys', { keys: [{ kid: 'first', kty: 'RSA' }] }]],
    ['whose key set is huge', () => ['/keys', ' '.repeat((1 << 20) + 1)]],
  ])('%s cannot be had', async (_what, change) => {
    const assertion = await issuer.sign(claims());
    const [path, document] = change(issuer);
    issuer.documents[path] = document;
    expect(await outcome(assertion)).toBe(501661);
  });

  test('that could not be had are asked for again', async () => {
    const { '/keys': keys } = issuer.documents;
    issuer.documents['/keys'] = undefined;
    expect(await outcome(await issuer.sign(claims()))).toBe(501661);
    issuer.documents['/keys'] = keys;
    expect(await outcome(await issuer.sign(claims()))).toBeUndefined();
  });

  test('are not asked of a site that is not secure', async () => {
    application.federatedCredentials.push(credential({ issuer: 'http://issuer.example' }));
    expect(await outcome(await issuer.sign(claims({ iss: 'http://issuer.example' })))).toBe(501661);
  });
});

test('the directory says that it takes assertions', async () => {
  const document = await ask(simulator, `/${simulator.tenantId}/v2.0/.well-known/openid-configuration`);
  expect(document.json()['token_endpoint_auth_methods_supported']).toEqual(['client_secret_post', 'private_key_jwt']);
});
