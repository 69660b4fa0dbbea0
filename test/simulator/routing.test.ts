import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startSimulator } from '../../src/simulator/index.js';
import type { Service, Simulator } from '../../src/simulator/index.js';
import { ask } from './support.js';

let simulator: Simulator;

beforeAll(async () => {
  simulator = await startSimulator();
});

afterAll(() => simulator.close());

async function serviceReached(host: string, path: string): Promise<Service | undefined> {
  simulator.resetCalls();
  await ask(simulator, path, { headers: { host } });
  return simulator.calls()[0]?.service;
}

describe('services are told apart', () => {
  test.each<[string, Service]>([
    ['login.microsoftonline.com', 'authority'],
    ['login.microsoftonline.com:8443', 'authority'],
    ['LOGIN.microsoftonline.us', 'authority'],
    ['sts.windows.net', 'authority'],
    ['management.azure.com', 'resource-manager'],
    ['management.chinacloudapi.cn', 'resource-manager'],
    ['graph.microsoft.com', 'graph'],
    ['169.254.169.254', 'metadata'],
  ])('by the name %s, whatever the path', async (host, service) => {
    expect(await serviceReached(host, '/subscriptions/x')).toBe(service);
    expect(await serviceReached(host, '/metadata/instance')).toBe(service);
  });

  test.each<[string, Service]>([
    ['/subscriptions/x/providers/y', 'resource-manager'],
    ['/SUBSCRIPTIONS/x', 'resource-manager'],
    ['/providers/Microsoft.Compute', 'resource-manager'],
    ['/metadata/instance', 'metadata'],
    ['/v1.0/applications', 'graph'],
    ['/subscriptionsx', 'authority'],
    ['/tenant/.well-known/openid-configuration', 'authority'],
  ])('by the path %s on loopback hosts', async (path, service) => {
    for (const host of ['localhost', '127.0.0.1:1', '[::1]:8443'])
      expect(await serviceReached(host, path)).toBe(service);
  });

  test('and names that nobody stands in for are refused', async () => {
    const headers = { host: 'login.microsoftonline.com.example.com' };
    const reply = await ask(simulator, '/', { headers, servername: 'localhost' });
    expect(reply.status).toBe(421);
    expect(reply.headers['server']).toBe('cloud-simulator');
  });
});
