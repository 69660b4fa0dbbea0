import { describe, expect, test } from '@jest/globals';
import { createCloudLookups } from '../../src/cloud/index.js';
import type { ListedIdentity } from '../../src/contract/index.js';
import { recordingLogger } from '../support/logger.js';
import { CONFIGURATION, ENVIRONMENT, MACHINE, answer, routedCloud, sleeplessClock } from './fakes.js';
import type { FakeTransport } from './fakes.js';

const signal = new AbortController().signal;

function list(transport: FakeTransport, group = MACHINE): Promise<readonly ListedIdentity[] | undefined> {
  const lookups = createCloudLookups({ transport, clock: sleeplessClock(), logger: recordingLogger() });
  return lookups.userAssignedIdentities(group, CONFIGURATION, signal);
}

const identity = (name: string): unknown => ({
  id: `/identities/${name}`,
  location: 'westeurope',
  properties: { clientId: `client-${name}`, principalId: `principal-${name}` },
});

const listed = (name: string): ListedIdentity => ({
  id: `/identities/${name}`,
  location: 'westeurope',
  clientId: `client-${name}`,
  principalId: `principal-${name}`,
});

describe('the identities of a resource group', () => {
  test('come from all pages', async () => {
    const transport = routedCloud((asked) =>
      asked.endsWith('page=2')
        ? answer(200, { value: [identity('c')] })
        : answer(200, {
            value: [identity('a'), identity('b')],
            nextLink: `${ENVIRONMENT.resourceManagerEndpoint}/x?page=2`,
          }),
    );
    expect(await list(transport)).toEqual([listed('a'), listed('b'), listed('c')]);
    expect(transport.requests).toHaveLength(3);
  });

  test('may come without client id and principal id', async () => {
    const transport = routedCloud(() =>
      answer(200, {
        value: [
          { id: '/x', location: 'l' },
          { id: '/y', location: 'l', properties: { clientId: '' } },
        ],
      }),
    );
    expect(await list(transport)).toEqual([
      { id: '/x', location: 'l' },
      { id: '/y', location: 'l' },
    ]);
  });

  test('may be none, or in no group at all', async () => {
    expect(await list(routedCloud(() => answer(200, { value: [] })))).toEqual([]);
    const missing = routedCloud(() => answer(404, { error: { code: 'ResourceGroupNotFound' } }));
    expect(await list(missing)).toBeUndefined();
  });

  test.each(['https://elsewhere.example/next', 'http://manager.example/next', 'https://manager.example:8443/next'])(
    'are not looked for at %s, nor is the token sent there',
    async (nextLink) => {
      const transport = routedCloud(() => answer(200, { value: [identity('a')], nextLink }));
      await expect(list(transport)).rejects.toMatchObject({ code: 'provider_unavailable' });
      expect(transport.requests).toHaveLength(2);
    },
  );

  test('are given up when their pages do not end', async () => {
    const nextLink = `${ENVIRONMENT.resourceManagerEndpoint}/again`;
    const transport = routedCloud(() => answer(200, { value: [], nextLink }));
    await expect(list(transport)).rejects.toMatchObject({ code: 'provider_unavailable' });
    expect(transport.requests.length).toBeLessThanOrEqual(52);
  });

  test.each([
    [{ value: [{ location: 'l' }] }],
    [{ value: [{ id: '/x' }] }],
    [{ value: [null] }],
    [{ value: 'text' }],
    [[]],
    ['"text"'],
    ['null'],
  ])('are an outage when the answer is %j', async (body) => {
    const transport = routedCloud(() => answer(200, body));
    await expect(list(transport)).rejects.toMatchObject({ code: 'provider_unavailable' });
  });

  test.each(['..', 'a/b', '', 'a?b'])('are not asked for in the group %j', async (resourceGroup) => {
    const transport = routedCloud(() => answer(200, { value: [] }));
    await expect(list(transport, { ...MACHINE, resourceGroup })).rejects.toMatchObject({ code: 'internal' });
    expect(transport.requests).toEqual([]);
  });
});
