import { describe, expect, test } from '@jest/globals';
import { createCloudLookups } from '../../src/cloud/index.js';
import { recordingLogger } from '../support/logger.js';
import { CONFIGURATION, MACHINE, answer, routedCloud, sleeplessClock } from './fakes.js';

const signal = new AbortController().signal;
const ID = '/subscriptions/S/resourceGroups/G/providers/Microsoft.Compute/virtualMachineScaleSets/M';

describe('a scale set', () => {
  test.each([
    [{ orchestrationMode: 'Flexible' }, 'flexible'],
    [{ orchestrationMode: 'Uniform' }, 'uniform'],
    [{}, 'uniform'],
    [undefined, 'uniform'],
  ])('with the properties %j is %s', async (properties, orchestration) => {
    const identity = { principalId: 'system', userAssignedIdentities: { '/one': { principalId: 'one' }, '/two': {} } };
    const transport = routedCloud(() => answer(200, { id: ID, location: 'westeurope', identity, properties }));
    const lookups = createCloudLookups({ transport, clock: sleeplessClock(), logger: recordingLogger() });
    expect(await lookups.scaleSet(MACHINE, CONFIGURATION, signal)).toEqual({
      id: ID,
      location: 'westeurope',
      systemPrincipalId: 'system',
      userAssigned: [{ id: '/one', principalId: 'one' }, { id: '/two' }],
      orchestration,
    });
    expect(new URL(transport.requests[1]!.url).pathname).toBe(
      `/subscriptions/${MACHINE.subscriptionId}/resourceGroups/Gruppe-%28%C3%A4%29/providers/` +
        'Microsoft.Compute/virtualMachineScaleSets/0-web.1',
    );
  });

  test('may not be there', async () => {
    const transport = routedCloud(() => answer(404, { error: { code: 'ResourceNotFound' } }));
    const lookups = createCloudLookups({ transport, clock: sleeplessClock(), logger: recordingLogger() });
    expect(await lookups.scaleSet(MACHINE, CONFIGURATION, signal)).toBeUndefined();
  });
});
