import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createHttpHost } from '../../src/hosts/http/index.js';
import type { HttpHost } from '../../src/hosts/http/index.js';
import { fakeBackend } from '../support/fake-backend.js';
import type { FakeBackend } from '../support/fake-backend.js';
import { recordingLogger } from '../support/logger.js';
import { httpRequest, Wire } from '../support/wire.js';

const ROOT = 'canary-root';
const TOKEN = { 'x-service-token': ROOT };
const UNUSUAL = httpRequest('LIST', '/v1/auth/cloud/role', { headers: { ...TOKEN, expect: 'a-miracle' } });
const NO_HOST = `LIST /v1/auth/cloud/role HTTP/1.1\r\nx-service-token: ${ROOT}\r\n\r\n`;

let backend: FakeBackend;
let host: HttpHost;
let wire: Wire;

beforeEach(async () => {
  backend = fakeBackend();
  const mounts = [{ path: 'cloud', type: 'cloud' }];
  const factories = { cloud: backend.factory };
  host = await createHttpHost({ factories, mounts, logger: recordingLogger(), rootToken: ROOT });
  wire = await Wire.open((await host.listen()).port);
});
afterEach(async () => {
  wire.close();
  await host.close();
});

describe('a request that never reaches the server', () => {
  it.each([
    ['without a host', NO_HOST, 400],
    ['with an expectation', UNUSUAL, 417],
  ])('%s is answered in the usual form', async (_, request, status) => {
    await wire.send(request);
    const answer = await wire.answer();
    expect(answer).toMatchObject({ status, headers: { 'content-type': 'application/json' } });
    expect(JSON.parse(answer?.body ?? '')).toEqual({ errors: [expect.stringContaining('the request was refused')] });
  });

  it('does not leave its method to the one behind it', async () => {
    await wire.send(NO_HOST + httpRequest('GET', '/v1/auth/cloud/role/dev', { headers: TOKEN }));
    expect(await wire.answer()).toMatchObject({ status: 400 });
    expect(await wire.answer()).toMatchObject({ status: 404 });
    expect(backend.requests.map(({ operation }) => operation)).toEqual(['read']);
  });

  it('may lack a host in HTTP/1.0', async () => {
    await wire.send('GET /v1/sys/health HTTP/1.0\r\n\r\n');
    expect(await wire.answer()).toMatchObject({ status: 200 });
  });
});

describe('health', () => {
  it.each(['POST', 'DELETE', 'LIST'])('does not take %s', async (method) => {
    await wire.send(httpRequest(method, '/v1/sys/health'));
    expect(await wire.answer()).toMatchObject({ status: 405 });
  });
});
