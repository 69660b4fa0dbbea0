import { setMaxListeners } from 'node:events';
import { describe, expect, test } from '@jest/globals';
import { cachedLookups } from '../../src/cloud/index.js';
import type { CachedLookupsOptions } from '../../src/cloud/index.js';
import { AuthMethodError } from '../../src/contract/index.js';
import type { CloudLookups, ConfirmedResource } from '../../src/contract/index.js';
import { ManualClock } from '../support/clock.js';
import { FakeCloudLookups } from '../support/fake-modules.js';
import { CONFIGURATION, MACHINE } from './fakes.js';

const signal = new AbortController().signal;
// Many lookups of one test wait for the same moment.
setMaxListeners(0, signal);
const FOUND: ConfirmedResource = { id: '/machine', location: 'westeurope', userAssigned: [] };
const SITE = { ...MACHINE, type: 'Microsoft.Web/sites/slots', names: ['shop', 'test'] };

function setUp(options: Partial<CachedLookupsOptions> = {}): {
  cloud: FakeCloudLookups;
  clock: ManualClock;
  lookups: CloudLookups;
} {
  const cloud = new FakeCloudLookups();
  cloud.machine = FOUND;
  cloud.scaleSetAnswer = { ...FOUND, id: '/scale-set', orchestration: 'uniform' };
  cloud.resourceAnswer = { ...FOUND, id: '/resource' };
  cloud.identities = { [MACHINE.name]: 'principal' };
  cloud.identityLists = { [MACHINE.resourceGroup]: [{ id: '/identity', location: 'westeurope' }] };
  cloud.groups = ['group'];
  const clock = new ManualClock();
  return { cloud, clock, lookups: cachedLookups(cloud, { clock, ttl: 30, timeout: 30, ...options }) };
}

/** An answer that comes when told to, and the signals of those who asked. */
function held<T>(answer: T): { ask: (signal: AbortSignal) => Promise<T>; open: () => void; signals: AbortSignal[] } {
  const signals: AbortSignal[] = [];
  let open = (): void => undefined;
  const opened = new Promise<T>((resolve) => (open = () => resolve(answer)));
  return {
    signals,
    open: () => open(),
    ask: (asked) => {
      signals.push(asked);
      return opened;
    },
  };
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('answers of the cloud', () => {
  test.each<[string, (lookups: CloudLookups) => Promise<unknown>, unknown]>([
    ['a machine', (lookups) => lookups.virtualMachine(MACHINE, CONFIGURATION, signal), FOUND],
    ['an identity', (lookups) => lookups.userAssignedIdentity(MACHINE, CONFIGURATION, signal), 'principal'],
    ['a scale set', (lookups) => lookups.scaleSet(MACHINE, CONFIGURATION, signal), { id: '/scale-set' }],
    ['a resource', (lookups) => lookups.resource(SITE, CONFIGURATION, signal), { id: '/resource' }],
    [
      'identities',
      (lookups) => lookups.userAssignedIdentities(MACHINE, CONFIGURATION, signal),
      [{ id: '/identity', location: 'westeurope' }],
    ],
    ['groups', (lookups) => lookups.memberGroups('oid', ['group', 'other'], CONFIGURATION, signal), ['group']],
  ])('about %s serve until they are too old', async (_, ask, expected) => {
    const { cloud, clock, lookups } = setUp();
    const answers = [await ask(lookups), await ask(lookups)];
    clock.advance(29_999);
    answers.push(await ask(lookups));
    expect(cloud.configurations).toHaveLength(1);
    clock.advance(1);
    answers.push(await ask(lookups));
    expect(cloud.configurations).toHaveLength(2);
    for (const answer of answers) {
      if (typeof expected === 'string') expect(answer).toBe(expected);
      else expect(answer).toMatchObject(expected as object);
    }
  });

  test('serve whatever the case and the order they are asked in', async () => {
    const { cloud, lookups } = setUp();
    await lookups.virtualMachine({ ...MACHINE, name: 'Web' }, CONFIGURATION, signal);
    await lookups.virtualMachine({ ...MACHINE, name: 'wEB' }, CONFIGURATION, signal);
    await lookups.memberGroups('oid', ['b', 'group'], CONFIGURATION, signal);
    await lookups.memberGroups('OID', ['group', 'b'], CONFIGURATION, signal);
    expect(cloud.machineCalls).toHaveLength(1);
    expect(cloud.groupCalls).toHaveLength(1);
  });

  test.each([
    ['subscription', { subscriptionId: 'other' }],
    ['group', { resourceGroup: 'other' }],
    ['name', { name: 'other' }],
    ['name with a sign that folds to a letter', { name: '0-web.1\u212a' }],
    ['border between group and name, moved', { resourceGroup: `${MACHINE.resourceGroup}0`, name: '-web.1k' }],
    ['border between group and name, made up', { resourceGroup: `${MACHINE.resourceGroup}7:0-web`, name: '.1k' }],
    ['border between names', { resourceGroup: `${MACHINE.resourceGroup}8:0-web.1k`, name: '' }],
  ])('never serve another %s', async (_, part) => {
    const { cloud, lookups } = setUp();
    await lookups.virtualMachine(MACHINE, CONFIGURATION, signal);
    await lookups.virtualMachine({ ...MACHINE, name: `${MACHINE.name}k` }, CONFIGURATION, signal);
    await lookups.virtualMachine({ ...MACHINE, ...part }, CONFIGURATION, signal);
    expect(cloud.machineCalls).toHaveLength(3);
  });

  test('never serve another kind, type or chain of names', async () => {
    const { cloud, lookups } = setUp();
    await lookups.virtualMachine(MACHINE, CONFIGURATION, signal);
    expect(await lookups.scaleSet(MACHINE, CONFIGURATION, signal)).toMatchObject({ id: '/scale-set' });
    expect(await lookups.userAssignedIdentity(MACHINE, CONFIGURATION, signal)).toBe('principal');
    await lookups.resource(SITE, CONFIGURATION, signal);
    await lookups.resource({ ...SITE, type: 'Microsoft.Web/sites/other' }, CONFIGURATION, signal);
    await lookups.resource({ ...SITE, names: ['shop', 'other'] }, CONFIGURATION, signal);
    await lookups.memberGroups('one', ['group'], CONFIGURATION, signal);
    await lookups.memberGroups('two', ['group'], CONFIGURATION, signal);
    await lookups.memberGroups('one', ['group', 'more'], CONFIGURATION, signal);
    expect(cloud.resourceCalls).toHaveLength(3);
    expect(cloud.groupCalls).toHaveLength(3);
  });

  test('never serve another configuration, however alike', async () => {
    const { cloud, lookups } = setUp();
    const open = held(FOUND);
    cloud.machine = open.ask;
    const both = [CONFIGURATION, { ...CONFIGURATION }].map((settings) =>
      lookups.virtualMachine(MACHINE, settings, signal),
    );
    open.open();
    await Promise.all(both);
    expect(cloud.configurations).toHaveLength(2);
    expect(cloud.configurations[0]).not.toBe(cloud.configurations[1]);
  });

  test('that there is no such thing are not kept', async () => {
    const { cloud, lookups } = setUp();
    cloud.machine = undefined;
    cloud.groups = [];
    expect(await lookups.virtualMachine(MACHINE, CONFIGURATION, signal)).toBeUndefined();
    expect(await lookups.memberGroups('oid', ['group'], CONFIGURATION, signal)).toEqual([]);
    cloud.machine = FOUND;
    cloud.groups = ['group'];
    expect(await lookups.virtualMachine(MACHINE, CONFIGURATION, signal)).toBe(FOUND);
    expect(await lookups.memberGroups('oid', ['group'], CONFIGURATION, signal)).toEqual(['group']);
  });

  test('that fail are not kept, and reach all who wait', async () => {
    const { cloud, lookups } = setUp();
    cloud.machine = new AuthMethodError('provider_unavailable', 'Down.', { retryAfter: 7 });
    const both = [1, 2].map(() => lookups.virtualMachine(MACHINE, CONFIGURATION, signal));
    for (const found of both) await expect(found).rejects.toMatchObject({ retryAfter: 7 });
    expect(cloud.machineCalls).toHaveLength(1);
    cloud.machine = FOUND;
    expect(await lookups.virtualMachine(MACHINE, CONFIGURATION, signal)).toBe(FOUND);
  });

  test('are not kept when the age is 0, and still shared', async () => {
    const { cloud, lookups } = setUp({ ttl: 0 });
    await Promise.all([1, 2, 3].map(() => lookups.virtualMachine(MACHINE, CONFIGURATION, signal)));
    expect(cloud.machineCalls).toHaveLength(1);
    await lookups.virtualMachine(MACHINE, CONFIGURATION, signal);
    expect(cloud.machineCalls).toHaveLength(2);
  });

  test('are not trusted when the clock was set back', async () => {
    const { cloud, clock, lookups } = setUp();
    await lookups.virtualMachine(MACHINE, CONFIGURATION, signal);
    clock.advance(-1);
    await lookups.virtualMachine(MACHINE, CONFIGURATION, signal);
    expect(cloud.machineCalls).toHaveLength(2);
  });

  test('are forgotten, oldest first, when they are too many', async () => {
    const { cloud, lookups } = setUp({ maxEntries: 2 });
    for (const name of ['a', 'b', 'c', 'c', 'b', 'a']) {
      await lookups.virtualMachine({ ...MACHINE, name }, CONFIGURATION, signal);
    }
    expect(cloud.machineCalls.map(({ name }) => name)).toEqual(['a', 'b', 'c', 'a']);
  });

  test('that are long count for several', async () => {
    const { cloud, lookups } = setUp({ maxEntries: 3 });
    await lookups.virtualMachine(MACHINE, CONFIGURATION, signal);
    cloud.machine = { ...FOUND, userAssigned: ['/1', '/2'].map((id) => ({ id: id.padEnd(1_000, '-') })) };
    await lookups.virtualMachine({ ...MACHINE, name: 'crowded' }, CONFIGURATION, signal);
    await lookups.virtualMachine(MACHINE, CONFIGURATION, signal);
    expect(cloud.machineCalls).toHaveLength(3);
  });
});

describe('a shared lookup', () => {
  test('serves a thousand callers with one call', async () => {
    const { cloud, lookups } = setUp();
    const all = Array.from({ length: 1000 }, () => lookups.scaleSet(MACHINE, CONFIGURATION, signal));
    expect(new Set(await Promise.all(all)).size).toBe(1);
    expect(cloud.scaleSetCalls).toHaveLength(1);
  });

  test('is ended by no caller who gives up', async () => {
    const { cloud, lookups } = setUp();
    const { ask, open, signals } = held(FOUND);
    cloud.machine = ask;
    const impatient = new AbortController();
    const given = lookups.virtualMachine(MACHINE, CONFIGURATION, impatient.signal);
    const awaited = lookups.virtualMachine(MACHINE, CONFIGURATION, signal);
    impatient.abort();
    await expect(given).rejects.toMatchObject({ code: 'provider_unavailable', retryAfter: 1 });
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
    open();
    expect(await awaited).toBe(FOUND);
  });

  test('has a deadline of its own, its wait included', async () => {
    const { cloud, clock, lookups } = setUp({ timeout: 5, maxPerSubscription: 1 });
    const { ask, signals } = held(FOUND);
    cloud.machine = ask;
    const all = ['a', 'b'].map((name) => lookups.virtualMachine({ ...MACHINE, name }, CONFIGURATION, signal));
    await settled();
    clock.advance(5_000);
    for (const found of all) await expect(found).rejects.toMatchObject({ code: 'provider_unavailable', retryAfter: 1 });
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
    cloud.machine = FOUND;
    expect(await lookups.virtualMachine(MACHINE, CONFIGURATION, signal)).toBe(FOUND);
  });
});

describe('a slow subscription', () => {
  test('holds up no other, and not the directory', async () => {
    const { cloud, lookups } = setUp({ maxPerSubscription: 2, maxWaiting: 8 });
    cloud.machine = (): Promise<never> => new Promise(() => undefined);
    const stuck = ['a', 'b', 'c', 'd'].map((name) =>
      lookups.virtualMachine({ ...MACHINE, name }, CONFIGURATION, signal),
    );
    await settled();
    expect(stuck).toHaveLength(4);
    expect(cloud.machineCalls.map(({ name }) => name)).toEqual(['a', 'b']);
    const refused = lookups.virtualMachine({ ...MACHINE, name: 'e' }, CONFIGURATION, signal);
    await expect(refused).rejects.toMatchObject({ code: 'provider_unavailable', retryAfter: 1 });
    cloud.machine = FOUND;
    const elsewhere = { ...MACHINE, subscriptionId: 'other' };
    expect(await lookups.virtualMachine(elsewhere, CONFIGURATION, signal)).toBe(FOUND);
    expect(await lookups.memberGroups('oid', ['group'], CONFIGURATION, signal)).toEqual(['group']);
  });
});

test('closing closes what is behind', async () => {
  const { cloud, lookups } = setUp();
  await lookups.close();
  expect(cloud.closed).toBe(1);
});
