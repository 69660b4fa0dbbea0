import { describe, expect, test } from '@jest/globals';
import { Failures } from '../../src/cloud/failures.js';
import { createHttpClient } from '../../src/cloud/http-client.js';
import { recordingLogger } from '../support/logger.js';
import { ENVIRONMENT, MACHINE_ANSWER, fakeTransport, sleeplessClock } from './fakes.js';

type Outgoing = Parameters<ReturnType<typeof createHttpClient>['sendRequest']>[0];

describe('the access token for the resource manager', () => {
  test.each([
    ['GET', 'https://elsewhere.example/subscriptions/next-page'],
    ['GET', 'https://manager.example.elsewhere.example/subscriptions'],
    ['GET', 'https://manager.example@elsewhere.example/subscriptions'],
    ['GET', 'https://manager.example:8443/subscriptions'],
    ['GET', 'http://manager.example/subscriptions'],
    ['POST', 'https://manager.example/subscriptions'],
    ['DELETE', 'https://manager.example/subscriptions'],
  ])('does not go along with %s %s', async (method, url) => {
    const failures = new Failures(recordingLogger(), sleeplessClock());
    const transport = fakeTransport(() => MACHINE_ANSWER);
    const client = createHttpClient({
      environment: ENVIRONMENT,
      send: (request) => transport.send(request),
      failures,
    });
    const request = { method, url, abortSignal: new AbortController().signal } as unknown as Outgoing;
    await expect(client.sendRequest(request)).rejects.toThrow('resource manager only');
    expect(transport.requests).toEqual([]);
  });
});
