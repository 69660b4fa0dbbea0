import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { startSimulator } from '../../src/simulator/index.js';
import type { Application, Fault, FaultHandle, Simulator } from '../../src/simulator/index.js';
import { ask, requestToken, send } from './support.js';
import type { Reply } from './support.js';

let simulator: Simulator;
let application: Application;
let token: string;
let handles: FaultHandle[] = [];

beforeAll(async () => {
  simulator = await startSimulator();
});

beforeEach(async () => {
  application = simulator.addApplication();
  token = await simulator.applicationToken(application, { resource: 'https://graph.microsoft.com' });
  simulator.resetCalls();
});

afterEach(() => {
  for (const handle of handles) handle.remove();
  handles = [];
});

afterAll(() => simulator.close());

function fail(fault: Fault): FaultHandle {
  const handle = simulator.fail(fault);
  handles.push(handle);
  return handle;
}

const addPassword = (): Promise<Reply> =>
  ask(simulator, `/v1.0/applications/${application.objectId}/addPassword`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    body: '{}',
  });

const passwords = (): number => application.passwords.current.length;

describe('a lost answer', () => {
  test('leaves the work done and the caller with a broken connection', async () => {
    fail({ path: /addPassword$/, lost: true, times: 1 });
    await expect(addPassword()).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect(passwords()).toBe(2);
    expect(simulator.calls()[0]).not.toHaveProperty('status');
    expect((await addPassword()).status).toBe(200);
  });

  test.each(['authority', 'resource-manager', 'graph', 'metadata'] as const)(
    'may be one of the service %s',
    async (service) => {
      let worked = 0;
      fail({ service, lost: true, after: () => void (worked += 1) });
      const { url } = await simulator.metadataService(simulator.addVirtualMachine());
      const calls = {
        authority: () => requestToken(simulator, application.clientId, application.clientSecret),
        'resource-manager': () => ask(simulator, '/subscriptions/x'),
        graph: addPassword,
        metadata: () => send(`${url}/metadata/instance`),
      };
      await expect(calls[service]()).rejects.toMatchObject({ code: 'ECONNRESET' });
      expect(worked).toBe(1);
    },
  );
});

test('a worked fault answers in its own way when the work is done', async () => {
  fail({ service: 'graph', worked: true, status: 504 });
  expect((await addPassword()).status).toBe(504);
  expect(passwords()).toBe(2);
});

test('a throttled call is told when to come back, and nothing is done', async () => {
  fail({ status: 429, headers: { 'retry-after': '7' }, times: 2 });
  const replies = [await addPassword(), await requestToken(simulator, application.clientId, application.clientSecret)];
  for (const { status, headers } of replies) expect([status, headers['retry-after']]).toEqual([429, '7']);
  expect(passwords()).toBe(1);
});

describe('hooks', () => {
  test('see a call before and after its work', async () => {
    const seen: unknown[] = [];
    fail({
      service: 'graph',
      before: ({ path }) => void seen.push(path.endsWith('/addPassword'), passwords()),
      after: () => void seen.push(passwords()),
    });
    expect((await addPassword()).status).toBe(200);
    expect(seen).toEqual([true, 1, 2]);
  });

  test('are waited for', async () => {
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    const entered = new Promise<void>((resolve) => {
      fail({
        service: 'graph',
        before: () => {
          resolve();
          return released;
        },
      });
    });
    const reply = addPassword();
    await entered;
    expect(passwords()).toBe(1);
    release();
    expect((await reply).status).toBe(200);
    expect(passwords()).toBe(2);
  });

  test('before the work that reject keep it from being done', async () => {
    fail({ service: 'graph', before: () => Promise.reject(new Error('no')) });
    expect((await addPassword()).status).toBe(500);
    expect(passwords()).toBe(1);
  });

  test('after the work are not called when none is done', async () => {
    let called = false;
    fail({ service: 'graph', status: 503, after: () => void (called = true) });
    expect((await addPassword()).status).toBe(503);
    expect(called).toBe(false);
  });
});
