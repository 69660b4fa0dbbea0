import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { once } from 'node:events';
import { connect } from 'node:tls';
import { startSimulator } from '../../src/simulator/index.js';
import type { Simulator } from '../../src/simulator/index.js';
import { ask } from './support.js';

let simulator: Simulator;

beforeAll(async () => {
  simulator = await startSimulator();
});

afterAll(() => simulator.close());

describe('a simulator', () => {
  test('describes itself as the environment of the public cloud', () => {
    expect(simulator.environment).toEqual({
      name: 'CloudPublicCloud',
      aliases: [],
      authorityHost: simulator.url,
      resourceManagerEndpoint: simulator.url,
      resourceManagerAudience: 'https://management.azure.com',
      graphEndpoint: simulator.url,
      ca: simulator.caPem,
    });
    expect(simulator.url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
  });

  test('takes ids and names from its options', async () => {
    const options = {
      tenantId: '11111111-1111-1111-1111-111111111111',
      subscriptionId: '22222222-2222-2222-2222-222222222222',
      resourceGroup: 'mine',
      location: 'eastus',
    };
    const other = await startSimulator({ ...options, host: '::1', environmentName: 'CloudChinaCloud' });
    expect(other).toMatchObject(options);
    expect(other.url).toMatch(/^https:\/\/\[::1\]:\d+$/);
    expect(other.environment.name).toBe('CloudChinaCloud');
    expect(other.addVirtualMachine({ name: 'web' })).toMatchObject({
      id: `/subscriptions/${options.subscriptionId}/resourceGroups/mine/providers/Microsoft.Compute/virtualMachines/web`,
      location: 'eastus',
    });
    expect((await ask(other, `/${options.tenantId}/discovery/keys`)).status).toBe(200);
    await other.close();
  });

  test('does not start on a port that is taken', async () => {
    const port = Number(new URL(simulator.url).port);
    await expect(startSimulator({ port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });

  test('closes all its ports, and may be closed twice', async () => {
    const other = await startSimulator();
    const metadata = await other.metadataService(other.addVirtualMachine());
    await other.close();
    await other.close();
    await expect(ask(other, '/')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    await expect(ask(other, metadata.url.slice(other.url.length))).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });
});

/** What comes back for raw bytes, until the connection ends. */
async function exchange(bytes: string): Promise<string> {
  const { hostname: host, port } = new URL(simulator.url);
  const socket = connect({ host, port: Number(port), ca: simulator.caPem });
  let received = '';
  socket.on('data', (chunk: Buffer) => (received += chunk.toString()));
  socket.on('error', () => undefined);
  socket.write(bytes);
  await once(socket, 'close');
  return received;
}

describe('bad input', () => {
  test('of more than a megabyte is refused', async () => {
    simulator.resetCalls();
    const reply = await ask(simulator, '/', { method: 'POST', body: 'x'.repeat((1 << 20) + 1) });
    expect(reply.status).toBe(413);
    expect(simulator.calls()).toMatchObject([{ status: 413 }]);
  });

  test.each([
    ['no HTTP at all', 'hello\r\n\r\n', ' 400 '],
    ['a target that is no path', 'GET http://x HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n', ' 400 '],
    ['a host that is no host', 'GET / HTTP/1.1\r\nHost: [\r\nConnection: close\r\n\r\n', ' 400 '],
    ['no host', 'GET / HTTP/1.0\r\n\r\n', ' 400 '],
    ['a host with a path', 'GET / HTTP/1.1\r\nHost: localhost/x\r\nConnection: close\r\n\r\n', ' 421 '],
  ])('such as %s gets an error and the next request an answer', async (_what, bytes, status) => {
    expect(await exchange(bytes)).toContain(`HTTP/1.1${status}`);
    expect((await ask(simulator, `/${simulator.tenantId}/discovery/keys`)).status).toBe(200);
  });

  test('that breaks off midway does not disturb it', async () => {
    const { hostname: host, port } = new URL(simulator.url);
    const socket = connect({ host, port: Number(port), ca: simulator.caPem });
    await once(socket, 'secureConnect');
    socket.write('POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nhalf', () => socket.destroy());
    await once(socket, 'close');
    expect((await ask(simulator, `/${simulator.tenantId}/discovery/keys`)).status).toBe(200);
  });
});
