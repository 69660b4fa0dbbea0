import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { once } from 'node:events';
import { connect } from 'node:tls';
import { startSimulator } from '../../src/simulator/index.js';
import type { Fault, FaultHandle, Simulator } from '../../src/simulator/index.js';
import { ask, send } from './support.js';
import type { Reply } from './support.js';

let simulator: Simulator;
let keysPath: string;
let handles: FaultHandle[] = [];

beforeAll(async () => {
  simulator = await startSimulator();
  keysPath = `/${simulator.tenantId}/discovery/keys`;
});

afterEach(() => {
  for (const handle of handles) handle.remove();
  handles = [];
  simulator.setLatency(0);
  simulator.resetCalls();
});

afterAll(() => simulator.close());

function fail(fault: Fault): FaultHandle {
  const handle = simulator.fail(fault);
  handles.push(handle);
  return handle;
}

const keys = (): Promise<Reply> => ask(simulator, keysPath);

describe('a fault', () => {
  test('answers with status, headers and body of its own, as often as it says', async () => {
    const handle = fail({ status: 429, headers: { 'retry-after': '7' }, body: { error: 'slow' }, times: 2 });
    for (let call = 0; call < 2; call += 1) {
      const reply = await keys();
      expect(reply.status).toBe(429);
      expect(reply.headers).toMatchObject({ 'retry-after': '7', server: 'cloud-simulator' });
      expect(reply.json()).toEqual({ error: 'slow' });
    }
    expect((await keys()).status).toBe(200);
    expect(handle.hits).toBe(2);
  });

  test('ends when it is removed', async () => {
    const handle = fail({ status: 500 });
    expect((await keys()).status).toBe(500);
    handle.remove();
    expect((await keys()).status).toBe(200);
  });

  test('befalls only the service, path and method it names', async () => {
    fail({ service: 'resource-manager', status: 500 });
    fail({ path: /\/v2\.0\/keys$/, status: 501 });
    fail({ method: 'POST', status: 502 });
    expect((await keys()).status).toBe(200);
    expect((await ask(simulator, '/subscriptions/x')).status).toBe(500);
    expect((await ask(simulator, `/${simulator.tenantId}/discovery/v2.0/keys`)).status).toBe(501);
    expect((await ask(simulator, keysPath, { method: 'POST' })).status).toBe(502);
  });

  test('gives way to a later one', async () => {
    fail({ status: 500 });
    fail({ status: 503, times: 1 });
    expect((await keys()).status).toBe(503);
    expect((await keys()).status).toBe(500);
  });

  test('sends text and bytes as they are', async () => {
    fail({ body: '{"keys":', times: 1 });
    expect((await keys()).text).toBe('{"keys":');
    fail({ body: Buffer.from('bytes'), times: 1 });
    expect((await keys()).text).toBe('bytes');
  });

  test('resets the connection', async () => {
    fail({ reset: true });
    await expect(keys()).rejects.toMatchObject({ code: 'ECONNRESET' });
  });

  test('answers with what is not HTTP', async () => {
    fail({ garbage: true });
    await expect(keys()).rejects.toMatchObject({ code: /^HPE_/ as unknown });
  });

  test('hangs until the client gives up, and the call has no status', async () => {
    fail({ hang: true });
    const giveUp = new AbortController();
    const reply = ask(simulator, keysPath, { signal: giveUp.signal });
    await arrival(keysPath);
    giveUp.abort();
    await expect(reply).rejects.toMatchObject({ name: 'AbortError' });
    expect(simulator.calls()[0]).not.toHaveProperty('status');
  });

  test('sends half of the body and stalls', async () => {
    fail({ body: { keys: 'never whole' }, stallBody: true });
    const { hostname: host, port } = new URL(simulator.url);
    const socket = connect({ host, port: Number(port), ca: simulator.caPem }, () => {
      socket.write(`GET ${keysPath} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    });
    let received = '';
    while (!received.includes('\r\n\r\n{"keys"')) received += String((await once(socket, 'data'))[0]);
    expect(received).toContain('content-length: 22');
    expect(received).not.toContain('whole');
    expect(socket.readyState).toBe('open');
    socket.destroy();
  });

  test('that only delays lets the call through', async () => {
    const handle = fail({ delay: 1 });
    expect((await keys()).status).toBe(200);
    expect(handle.hits).toBe(1);
  });
});

/** Resolves once a call to the path has arrived. */
async function arrival(path: string): Promise<void> {
  while (!simulator.calls().some((call) => call.path === path)) await new Promise(setImmediate);
}

describe('latency', () => {
  test('holds back the answers of its service and of no other', async () => {
    simulator.setLatency(3_600_000, 'authority');
    const giveUp = new AbortController();
    const slow = ask(simulator, keysPath, { signal: giveUp.signal });
    await arrival(keysPath);
    expect((await ask(simulator, '/metadata/instance')).status).toBe(404);
    expect(simulator.calls({ service: 'authority' })[0]).not.toHaveProperty('status');
    giveUp.abort();
    await expect(slow).rejects.toMatchObject({ name: 'AbortError' });
  });

  test('does not hold up closing', async () => {
    const other = await startSimulator();
    other.setLatency(3_600_000);
    const reply = ask(other, '/');
    while (other.calls().length === 0) await new Promise(setImmediate);
    await other.close();
    await expect(reply).rejects.toMatchObject({ code: 'ECONNRESET' });
  });
});

describe('the call log', () => {
  test('tells what was asked and answered', async () => {
    await ask(simulator, `${keysPath}?x=1`, { headers: { 'user-agent': 'tester/1' } });
    await ask(simulator, '/subscriptions/x');
    expect(simulator.calls()).toMatchObject([
      {
        service: 'authority',
        method: 'GET',
        host: new URL(simulator.url).host,
        path: `${keysPath}?x=1`,
        headers: { 'user-agent': 'tester/1' },
        status: 200,
      },
      { service: 'resource-manager', status: 400 },
    ]);
    expect(simulator.calls({ service: 'authority' })).toHaveLength(1);
    expect(simulator.calls({ path: /x=1$/ })).toHaveLength(1);
    expect(simulator.calls({ method: 'POST' })).toHaveLength(0);
    simulator.resetCalls();
    expect(simulator.calls()).toHaveLength(0);
  });

  test('covers the metadata services of machines', async () => {
    const { url } = await simulator.metadataService(simulator.addVirtualMachine());
    await send(`${url}/metadata/instance`);
    expect(simulator.calls({ service: 'metadata' })).toMatchObject([{ path: '/metadata/instance', status: 400 }]);
  });
});
