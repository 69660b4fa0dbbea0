import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createLocalJWKSet, jwtVerify } from 'jose';
import type { JSONWebKeySet } from 'jose';
import { startSimulator } from '../../src/simulator/index.js';
import type { Application, Simulator } from '../../src/simulator/index.js';
import { ask, postForm } from './support.js';
import { ManualClock } from '../support/clock.js';

const SECRET_EXPIRY = Date.UTC(2026, 0, 2);
const clock = new ManualClock();
let simulator: Simulator;
let application: Application;

beforeAll(async () => {
  simulator = await startSimulator({ now: () => clock.now() });
  application = simulator.addApplication();
});

afterAll(() => simulator.close());

const tenantPath = (path: string): string => `/${simulator.tenantId}${path}`;

describe('discovery', () => {
  test('names the version 1 issuer and keys', async () => {
    const document = (await ask(simulator, tenantPath('/.well-known/openid-configuration'))).json();
    expect(document).toMatchObject({
      issuer: `https://sts.windows.net/${simulator.tenantId}/`,
      jwks_uri: `${simulator.url}${tenantPath('/discovery/keys')}`,
      token_endpoint: `${simulator.url}${tenantPath('/oauth2/token')}`,
    });
  });

  test('names the version 2 issuer and keys', async () => {
    const document = (await ask(simulator, tenantPath('/v2.0/.well-known/openid-configuration'))).json();
    expect(document).toMatchObject({
      issuer: `${simulator.url}/${simulator.tenantId}/v2.0`,
      jwks_uri: `${simulator.url}${tenantPath('/discovery/v2.0/keys')}`,
      token_endpoint: `${simulator.url}${tenantPath('/oauth2/v2.0/token')}`,
    });
  });

  test("speaks of the provider's own name when asked under it", async () => {
    const headers = { host: 'login.microsoftonline.com' };
    const document = (await ask(simulator, tenantPath('/v2.0/.well-known/openid-configuration'), { headers })).json();
    expect(document['issuer']).toBe(`https://login.microsoftonline.com/${simulator.tenantId}/v2.0`);
  });

  test('does not know other tenants', async () => {
    const reply = await ask(simulator, '/00000000-0000-0000-0000-000000000000/.well-known/openid-configuration');
    expect(reply.status).toBe(400);
    expect(reply.json()).toMatchObject({ error: 'invalid_tenant', error_codes: [90002] });
  });
});

test('paths that the authority does not have are not found', async () => {
  expect((await ask(simulator, tenantPath('/oauth2/v2.0/devicecode'))).status).toBe(404);
});

describe('key sets', () => {
  test.each(['/discovery/keys', '/discovery/v2.0/keys'])('%s publishes RSA keys as the provider does', async (path) => {
    const { keys } = (await ask(simulator, tenantPath(path))).json() as unknown as JSONWebKeySet;
    expect(keys).toHaveLength(1);
    expect(keys[0]).toMatchObject({ kty: 'RSA', use: 'sig', e: 'AQAB', x5t: keys[0]!.kid });
    expect(Buffer.from(keys[0]!.kid!, 'base64url')).toHaveLength(20);
    expect(Buffer.from(keys[0]!.n!, 'base64url')).toHaveLength(256);
  });

  test('follow a rollover: the new key signs, the old one stays until it is retired', async () => {
    const rolling = await startSimulator();
    const publishedKeys = async (): Promise<JSONWebKeySet> =>
      (await ask(rolling, `/${rolling.tenantId}/discovery/keys`)).json() as unknown as JSONWebKeySet;
    const before = await rolling.issueToken({ sub: 'before' });
    const key = await rolling.rolloverKeys();
    const after = await rolling.issueToken({ sub: 'after' });

    const both = createLocalJWKSet(await publishedKeys());
    expect((await jwtVerify(before, both)).payload.sub).toBe('before');
    expect((await jwtVerify(after, both)).protectedHeader.kid).toBe(key.kid);

    rolling.retireOldKeys();
    const newest = createLocalJWKSet(await publishedKeys());
    await expect(jwtVerify(before, newest)).rejects.toMatchObject({ code: 'ERR_JWKS_NO_MATCHING_KEY' });
    expect((await jwtVerify(after, newest)).payload.sub).toBe('after');
    await rolling.close();
  });
});

const V2 = '/oauth2/v2.0/token';
const V1 = '/oauth2/token';
const ARM = 'https://management.azure.com';

describe('the token endpoints', () => {
  const form = (changes: Record<string, string> = {}): Record<string, string> => ({
    grant_type: 'client_credentials',
    client_id: application.clientId,
    client_secret: application.clientSecret,
    ...changes,
  });

  test('version 2 answers a scope with a token for its resource', async () => {
    const reply = await postForm(simulator, tenantPath(V2), form({ scope: `${ARM}/.default` }));
    const { access_token: token, ...rest } = reply.json();
    expect(rest).toEqual({ token_type: 'Bearer', expires_in: 3599, ext_expires_in: 3599 });
    const { payload } = await jwtVerify(String(token), simulator.signingKeys[0]!.publicKey, {
      currentDate: new Date(clock.now()),
    });
    expect(payload).toMatchObject({
      aud: ARM,
      iss: `https://sts.windows.net/${simulator.tenantId}/`,
      appid: application.clientId,
      oid: application.principalId,
      tid: simulator.tenantId,
    });
  });

  test('version 1 answers a resource, with numbers as text', async () => {
    const reply = await postForm(simulator, tenantPath(V1), form({ resource: `${ARM}/` }));
    expect(reply.json()).toMatchObject({ token_type: 'Bearer', expires_in: '3599', resource: `${ARM}/` });
  });

  test.each<[string, string, Record<string, string>, number, string, number]>([
    ['no grant type', V2, { grant_type: '' }, 400, 'invalid_request', 900144],
    ['another grant type', V2, { grant_type: 'password' }, 400, 'unsupported_grant_type', 70003],
    ['no client id', V2, { client_id: '' }, 400, 'invalid_request', 900144],
    ['an unknown client', V2, { client_id: 'nobody' }, 400, 'unauthorized_client', 700016],
    ['no secret', V2, { client_secret: '' }, 401, 'invalid_client', 7000218],
    ['a wrong secret', V2, { client_secret: 'canary-wrong' }, 401, 'invalid_client', 7000215],
    ['no scope', V2, { scope: '' }, 400, 'invalid_request', 900144],
    ['a scope that is not the default one', V2, { scope: `${ARM}/read` }, 400, 'invalid_scope', 1002012],
    ['no resource', V1, {}, 400, 'invalid_request', 900144],
  ])('refuse %s', async (_what, path, changes, status, error, code) => {
    const reply = await postForm(simulator, tenantPath(path), form({ scope: `${ARM}/.default`, ...changes }));
    expect(reply.status).toBe(status);
    expect(reply.json()).toMatchObject({ error, error_codes: [code] });
    expect(reply.json()['error_description']).toMatch(`AADSTS${code}: `);
    expect(reply.json()).toHaveProperty('trace_id');
    expect(reply.text).not.toContain('canary-wrong');
  });

  test('refuse other methods', async () => {
    const reply = await ask(simulator, tenantPath(V2));
    expect(reply.json()).toMatchObject({ error: 'invalid_request', error_codes: [900561] });
  });

  test('refuse a secret from the moment that it expires', async () => {
    const { clientId, clientSecret } = simulator.addApplication({ secretExpiresAt: SECRET_EXPIRY });
    const request = form({ client_id: clientId, client_secret: clientSecret, scope: `${ARM}/.default` });
    clock.advance(SECRET_EXPIRY - clock.now() - 1);
    expect((await postForm(simulator, tenantPath(V2), request)).status).toBe(200);
    clock.advance(1);
    const reply = await postForm(simulator, tenantPath(V2), request);
    expect(reply.status).toBe(401);
    expect(reply.json()).toMatchObject({ error: 'invalid_client', error_codes: [7000222] });
  });

  test('no longer know an application that was removed', async () => {
    const removed = simulator.addApplication();
    simulator.removeApplication(removed);
    const reply = await postForm(
      simulator,
      tenantPath(V2),
      form({ client_id: removed.clientId, client_secret: removed.clientSecret, scope: `${ARM}/.default` }),
    );
    expect(reply.json()).toMatchObject({ error_codes: [700016] });
  });
});
