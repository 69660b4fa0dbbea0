import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Hono } from 'hono';
import { mount } from 'hono/mount';
import { createHttpHost } from '../../src/hosts/http/index.js';
import type { HttpHost, HttpHostOptions } from '../../src/hosts/http/index.js';
import { fakeBackend } from '../support/fake-backend.js';
import type { FakeBackend } from '../support/fake-backend.js';
import { recordingLogger } from '../support/logger.js';
import { httpRequest, Wire } from '../support/wire.js';

const ROOT = 'canary-root';
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

let backend: FakeBackend;
let logger: ReturnType<typeof recordingLogger>;
let host: HttpHost;
let url: string;
let port: number;

async function start(options: Partial<HttpHostOptions> = {}): Promise<void> {
  backend = fakeBackend();
  logger = recordingLogger();
  const mounts = [{ path: 'cloud', type: 'cloud' }];
  host = await createHttpHost({ factories: { cloud: backend.factory }, mounts, logger, rootToken: ROOT, ...options });
  ({ url, port } = await host.listen());
}

const request = (
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Response> =>
  fetch(`${url}/v1/${path}`, {
    method,
    headers: { 'x-service-token': ROOT, ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
const json = async (response: Response | Promise<Response>): Promise<Record<string, unknown>> =>
  (await (await response).json()) as Record<string, unknown>;

beforeEach(() => start());
afterEach(() => host.close());

describe('the envelope', () => {
  it('of a read', async () => {
    await request('POST', 'auth/cloud/role/dev', { policies: ['a'] });
    const response = await request('GET', 'auth/cloud/role/dev');
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(response.headers.get('cache-control')).toBe('no-store');
    const body = await json(response);
    expect(body).toEqual({
      request_id: expect.stringMatching(UUID),
      lease_id: '',
      renewable: false,
      lease_duration: 0,
      data: { policies: ['a'] },
      wrap_info: null,
      warnings: null,
      auth: null,
    });
    expect(response.headers.get('x-request-id')).toBe(body['request_id']);
  });

  it('of a login', async () => {
    const body = await json(request('POST', 'auth/cloud/login', { jwt: 'canary-good' }));
    expect(body).toMatchObject({ data: null, warnings: null, wrap_info: null });
    expect(body['auth']).toEqual({
      client_token: expect.stringMatching(/^s\./),
      accessor: expect.any(String),
      policies: ['default', 'dev'],
      token_policies: ['default', 'dev'],
      metadata: { role: 'dev' },
      lease_duration: 2_764_800,
      renewable: true,
      entity_id: expect.any(String),
      token_type: 'service',
      orphan: true,
      mfa_requirement: null,
      num_uses: 0,
    });
  });

  it('is absent from a write with nothing to say, and there when it has warnings', async () => {
    const quiet = await request('PUT', 'auth/cloud/role/dev', {});
    expect([quiet.status, await quiet.text(), quiet.headers.get('content-type')]).toEqual([204, '', null]);
    const loud = await request('PUT', 'auth/cloud/role/dev', { surprise: 1 });
    expect(loud.status).toBe(200);
    expect(await json(loud)).toMatchObject({ data: null, warnings: ['unknown fields were ignored: "surprise"'] });
  });

  it('of an error holds errors only', async () => {
    const response = await request('GET', 'auth/cloud/busy');
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '2']);
    expect(response.headers.get('x-request-id')).toMatch(UUID);
    expect(await json(response)).toEqual({ errors: ['the cloud is busy'] });
    const missing = await request('GET', 'auth/cloud/role/none');
    expect([missing.status, await json(missing)]).toEqual([404, { errors: [] }]);
  });

  it('shows nothing of a bug but the way to the log', async () => {
    const response = await request('GET', 'auth/cloud/bug');
    expect(response.status).toBe(500);
    expect(JSON.stringify(await json(response))).not.toContain('of a bug');
    const line = logger.lines.find(({ level }) => level === 'error');
    expect(line?.fields).toMatchObject({ request_id: response.headers.get('x-request-id'), error: expect.any(Error) });
  });
});

describe('the log', () => {
  it('has one line for a failed request, without its body and token', async () => {
    const headers = { 'x-service-token': 'canary-token' };
    const response = await request('POST', 'auth/cloud/login', { jwt: 'canary-bad', role: 'dev' }, headers);
    expect(logger.lines).toEqual([
      {
        level: 'warn',
        message: 'request refused',
        fields: {
          request_id: response.headers.get('x-request-id'),
          remote_address: '127.0.0.1',
          operation: 'write',
          mount: 'cloud',
          path: 'auth/cloud/login',
          status: 403,
          code: 'login_denied',
          rule: 'token_signature',
          field: undefined,
        },
      },
    ]);
  });

  it('has nothing for those that succeed', async () => {
    await request('POST', 'auth/cloud/login', { jwt: 'canary-good' });
    await request('GET', 'auth/cloud/role/none');
    expect(logger.lines).toEqual([]);
  });
});

describe('what clients of such servers rely on', () => {
  it('health, for anyone', async () => {
    const response = await fetch(`${url}/v1/sys/health`);
    expect(response.status).toBe(200);
    expect(await json(response)).toMatchObject({ initialized: true, sealed: false, standby: false, version: '' });
    expect((await fetch(`${url}/v1/sys/health`, { method: 'HEAD' })).status).toBe(200);
  });

  it('mounts beside and inside data', async () => {
    const body = await json(request('GET', 'sys/auth'));
    const mount = expect.objectContaining({ type: 'cloud', uuid: expect.any(String) });
    expect(body).toMatchObject({ 'cloud/': mount, data: { 'cloud/': mount } });
  });

  it('help', async () => {
    const body = await json(request('GET', 'auth/cloud/login?help=1'));
    expect(body).toMatchObject({
      help: expect.stringContaining('Lets canaries in.'),
      data: { fields: { role: 'Who you are.' } },
    });
  });

  it('one OpenAPI document of all mounts', async () => {
    await request('POST', 'sys/auth/team/eu', { type: 'cloud' });
    const body = await json(request('GET', 'sys/internal/specs/openapi'));
    expect(Object.keys(body['paths'] as object)).toEqual(['/auth/cloud/login', '/auth/team/eu/login']);
    expect(body).toMatchObject({ openapi: '3.0.2', components: { schemas: { Login: { type: 'object' } } } });
  });

  it('the method LIST', async () => {
    await request('POST', 'auth/cloud/role/dev', {});
    const wire = await Wire.open(port);
    const headers = { 'x-service-token': ROOT };
    await wire.send(httpRequest('LIST', '/v1/auth/cloud/role', { headers }));
    expect(JSON.parse((await wire.answer())?.body ?? '')).toMatchObject({ data: { keys: ['dev'] } });
    await wire.send(httpRequest('LIST', '/v1/auth/cloud/role/', { headers }));
    expect((await wire.answer())?.status).toBe(200);
    await wire.send(httpRequest('LIST', '/v1/auth/cloud/role'));
    expect((await wire.answer())?.status).toBe(403);
    await wire.send(httpRequest('GET', '/v1/auth/cloud/role/dev', { headers }));
    expect((await wire.answer())?.status).toBe(200);
    wire.close();
  });

  it('no other methods', async () => {
    for (const method of ['PATCH', 'OPTIONS', 'PROPFIND']) {
      expect((await request(method, 'auth/cloud/role/dev')).status).toBe(405);
    }
  });
});

describe('service tokens', () => {
  const read = (headers: Record<string, string>): Promise<Response> => fetch(`${url}/v1/sys/auth`, { headers });

  it.each([
    [{ 'x-service-token': ROOT }, 200],
    [{ authorization: `Bearer ${ROOT}` }, 200],
    [{ authorization: `bearer  ${ROOT}` }, 200],
    [{ authorization: `Bearer ${ROOT}`, 'x-service-token': ROOT }, 200],
    [{ 'x-vault-token': ROOT }, 403],
    [{ authorization: ROOT }, 403],
    [{ authorization: `Basic ${ROOT}` }, 403],
    [{ 'x-service-token': '' }, 403],
    [{ 'x-service-token': `${ROOT}x` }, 403],
    [{ 'x-service-token': 'canary-other', authorization: `Bearer ${ROOT}` }, 400],
    [{ 'x-service-token': `${ROOT}, ${ROOT}` }, 400],
    [{ 'x-service-token': `${ROOT} ${ROOT}` }, 400],
    [{}, 403],
  ] as [Record<string, string>, number][])('in %j give %i', async (headers, status) => {
    expect((await read(headers)).status).toBe(status);
  });

  it('come in X-Vault-Token when that is wanted', async () => {
    await host.close();
    await start({ vaultHeaders: true });
    expect((await read({ 'x-vault-token': ROOT })).status).toBe(200);
    expect((await read({ 'x-vault-token': 'canary-other', 'x-service-token': ROOT })).status).toBe(400);
  });

  it('given twice are refused', async () => {
    const wire = await Wire.open(port);
    await wire.send(`GET /v1/sys/auth HTTP/1.1\r\nhost: a\r\nx-service-token: a\r\nx-service-token: b\r\n\r\n`);
    expect((await wire.answer())?.status).toBe(400);
    wire.close();
  });
});

describe('the remote address', () => {
  const seen = async (forwardedFor?: string): Promise<string | undefined> => {
    const headers = forwardedFor === undefined ? {} : { 'x-forwarded-for': forwardedFor };
    await request('POST', 'auth/cloud/login', { jwt: 'canary-good' }, headers);
    return backend.requests.at(-1)?.remoteAddress;
  };

  it('is the peer, whatever it claims', async () => {
    expect(await seen()).toBe('127.0.0.1');
    expect(await seen('10.0.0.1')).toBe('127.0.0.1');
  });

  it.each([
    ['10.0.0.1', '10.0.0.1'],
    ['1.2.3.4, 10.0.0.1', '10.0.0.1'],
    ['10.0.0.1, 192.168.0.7', '10.0.0.1'],
    ['192.168.0.7', '192.168.0.7'],
    ['10.0.0.1:443', '10.0.0.1'],
    ['[2001:db8::1]:443', '2001:db8::1'],
    ['2001:db8::1', '2001:db8::1'],
    ['10.0.0.1, unknown', undefined],
    ['unknown, 10.0.0.1', '10.0.0.1'],
    ['', undefined],
    ['1.2.3.4,', undefined],
  ])('is what trusted proxies say: %j means %s', async (forwardedFor, expected) => {
    await host.close();
    await start({ trustedProxies: ['127.0.0.0/8', '192.168.0.0/16'] });
    expect(await seen(forwardedFor)).toBe(expected);
  });

  it('needs proper address blocks', async () => {
    const options = { factories: {}, logger: recordingLogger(), trustedProxies: ['nonsense'] };
    await expect(createHttpHost(options)).rejects.toMatchObject({ code: 'invalid_request' });
  });
});

describe('the app alone', () => {
  it('serves requests, knows addresses it is told, and can be mounted', async () => {
    const login = { method: 'POST', body: JSON.stringify({ jwt: 'canary-good' }) };
    const direct = await host.app.fetch(new Request('http://any/v1/auth/cloud/login', login));
    expect(direct.status).toBe(200);
    expect(backend.requests.at(-1)).not.toHaveProperty('remoteAddress');

    await host.app.fetch(new Request('http://any/v1/auth/cloud/login', login), { remoteAddress: '10.0.0.1' });
    expect(backend.requests.at(-1)?.remoteAddress).toBe('10.0.0.1');

    const outer = new Hono().get('/', (context) => context.text('mine'));
    outer.all('/secrets/*', mount(host.app.fetch));
    expect((await outer.request('/secrets/v1/sys/health')).status).toBe(200);
    expect((await outer.request('/secrets/other')).status).toBe(404);
    expect(await (await outer.request('/')).text()).toBe('mine');
    expect((await host.app.request('/elsewhere')).status).toBe(404);
  });
});

describe('closing', () => {
  it('finishes logins in flight, ends idle connections, takes no new ones', async () => {
    let release: () => void = () => undefined;
    backend.gate = new Promise<void>((resolve) => (release = resolve));
    const idle = await Wire.open(port);
    await idle.send(httpRequest('GET', '/v1/sys/health'));
    expect((await idle.answer())?.status).toBe(200);
    const silent = await Wire.open(port);
    const busy = await Wire.open(port);
    await busy.send(httpRequest('POST', '/v1/auth/cloud/login', { body: '{"jwt":"canary-good"}' }));
    while (backend.requests.length === 0) await new Promise((resolve) => setImmediate(resolve));

    const closed = host.close();
    await idle.end();
    await silent.end();
    await expect(Wire.open(port)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    expect(backend.cleanups).toBe(0);
    release();
    const answer = await busy.answer();
    expect([answer?.status, answer?.headers['connection']]).toEqual([200, 'close']);
    await busy.end();
    await closed;
    expect(backend.cleanups).toBe(1);
    await host.close();
  });

  it('does not wait forever', async () => {
    await host.close();
    await start({ shutdownTimeout: 20 });
    let release: () => void = () => undefined;
    backend.gate = new Promise<void>((resolve) => (release = resolve));
    const stuck = await Wire.open(port);
    await stuck.send(httpRequest('POST', '/v1/auth/cloud/login', { body: '{"jwt":"canary-good"}' }));
    while (backend.requests.length === 0) await new Promise((resolve) => setImmediate(resolve));
    await host.close();
    expect(await stuck.answer()).toBeUndefined();
    release();
  });
});
