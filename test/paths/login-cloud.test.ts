import { beforeEach, describe, expect, test } from '@jest/globals';
import { AuthMethodError } from '../../src/contract/index.js';
import type { ConfirmedResource } from '../../src/contract/index.js';
import { CLAIMS, MACHINE_LOGIN, mountWithRole, OBJECT, OTHER_OBJECT, SUBSCRIPTION, userIdentity, vm } from './mount.js';
import type { Mount } from './mount.js';

const OUTAGE = new AuthMethodError('provider_unavailable', 'The provider did not answer.', { retryAfter: 7 });
const MACHINE: ConfirmedResource = { id: vm('Web', 'RG'), location: 'West Europe', userAssigned: [] };
const known = { id: userIdentity('known'), principalId: OBJECT };
const unknown = [{ id: userIdentity('one') }, { id: userIdentity('two') }];

let mount: Mount;

beforeEach(async () => {
  mount = await mountWithRole({ bound_resource_groups: ['RG'], bound_locations: ['westeurope'] });
  mount.validator.answer = { ...CLAIMS, resourceId: vm('WEB') };
});

describe('vm_name', () => {
  test('with the system-assigned identity, proven by the token', async () => {
    mount.lookups.machine = { ...MACHINE, systemPrincipalId: OBJECT };
    await expect(mount.login(MACHINE_LOGIN)).resolves.toMatchObject({ alias: { name: OBJECT } });
  });

  test('with the system-assigned identity, proven by nothing else', async () => {
    mount.validator.answer = CLAIMS;
    mount.lookups.machine = { ...MACHINE, systemPrincipalId: OBJECT };
    await expect(mount.login(MACHINE_LOGIN)).resolves.toMatchObject({
      metadata: { role: 'dev', subscription_id: SUBSCRIPTION, resource_group_name: 'RG', vm_name: 'Web' },
    });
  });

  test('with a user-assigned identity', async () => {
    mount.lookups.machine = { ...MACHINE, systemPrincipalId: OTHER_OBJECT, userAssigned: [known, ...unknown] };
    await expect(mount.login(MACHINE_LOGIN)).resolves.toBeDefined();
    expect(mount.lookups.identityCalls).toEqual([]);
  });

  test.each([
    ['that the token does not prove', CLAIMS],
    ['that only names itself', { ...CLAIMS, managedIdentityId: userIdentity('known') }],
  ])('with a user-assigned identity %s is refused (A1)', async (_, claims) => {
    mount.validator.answer = claims;
    mount.lookups.machine = { ...MACHINE, userAssigned: [known, ...unknown] };
    mount.lookups.identities = { one: OBJECT };
    await expect(mount.login(MACHINE_LOGIN)).rejects.toMatchObject({ code: 'login_denied' });
    expect(mount.lookups.identityCalls).toEqual([]);
  });

  test('is refused when the cloud knows none', async () => {
    mount.lookups.machine = undefined;
    await expect(mount.login(MACHINE_LOGIN)).rejects.toMatchObject({ code: 'login_denied', rule: 'resource-exists' });
  });

  test('is refused when the cloud answers for another', async () => {
    mount.lookups.machine = { ...MACHINE, id: vm('web-2'), systemPrincipalId: OBJECT };
    await expect(mount.login(MACHINE_LOGIN)).rejects.toMatchObject({ rule: 'cloud-answers-for-the-resource' });
  });

  test('is refused elsewhere', async () => {
    mount.lookups.machine = { ...MACHINE, location: 'eastus', systemPrincipalId: OBJECT };
    await expect(mount.login(MACHINE_LOGIN)).rejects.toMatchObject({ code: 'login_denied', rule: 'location-bound' });
  });
});

describe('user-assigned identities that come without a principal', () => {
  beforeEach(() => {
    mount.lookups.machine = { ...MACHINE, userAssigned: unknown };
  });

  test('are looked up, by their own ids', async () => {
    mount.lookups.identities = { one: OTHER_OBJECT, two: OBJECT };
    await expect(mount.login(MACHINE_LOGIN)).resolves.toBeDefined();
    expect(mount.lookups.identityCalls).toEqual([
      { subscriptionId: SUBSCRIPTION, resourceGroup: 'ids', name: 'one' },
      { subscriptionId: SUBSCRIPTION, resourceGroup: 'ids', name: 'two' },
    ]);
  });

  test.each([
    ['is gone', undefined],
    ['may not be read', new AuthMethodError('not_configured', 'The credentials are refused.')],
    ['is not answered for', OUTAGE],
  ])('do not fail the others when one %s', async (_, answer) => {
    mount.lookups.identities = { one: answer, two: OBJECT };
    await expect(mount.login(MACHINE_LOGIN)).resolves.toBeDefined();
  });

  test.each([
    ['are gone', undefined],
    ['may not be read', new AuthMethodError('not_configured', 'The credentials are refused.')],
    ['are of others', OTHER_OBJECT],
    ['are empty', ''],
  ])('deny the login when they %s', async (_, answer) => {
    mount.lookups.identities = { one: answer, two: answer };
    await expect(mount.login(MACHINE_LOGIN)).rejects.toMatchObject({ code: 'login_denied', rule: 'identity-attached' });
  });

  test('are an outage, not a denial, when one that might decide is not answered for', async () => {
    mount.lookups.identities = { one: OTHER_OBJECT, two: OUTAGE };
    await expect(mount.login(MACHINE_LOGIN)).rejects.toMatchObject({
      code: 'provider_unavailable',
      status: 503,
      retryAfter: 7,
    });
  });

  test('are never looked up by an id that is not that of an identity', async () => {
    const tricks = ['', 'x', `${userIdentity('one')}/..`, userIdentity('one?x'), userIdentity('%2e%2e'), vm('one')];
    mount.lookups.machine = { ...MACHINE, userAssigned: tricks.map((id) => ({ id })) };
    await expect(mount.login(MACHINE_LOGIN)).rejects.toMatchObject({ rule: 'identity-attached' });
    expect(mount.lookups.identityCalls).toEqual([]);
  });
});

describe('an outage', () => {
  test.each(['provider_unavailable', 'not_configured'] as const)(
    'of the machine’s lookup is passed on: %s',
    async (code) => {
      mount.lookups.machine = new AuthMethodError(code, 'A sentence.');
      await expect(mount.login(MACHINE_LOGIN)).rejects.toMatchObject({ code, message: 'A sentence.' });
      expect(mount.logger.lines).toEqual([]);
    },
  );

  test('of the directory is passed on, and asks nothing of the cloud', async () => {
    mount.validator.answer = OUTAGE;
    await expect(mount.login(MACHINE_LOGIN)).rejects.toBe(OUTAGE);
    expect(mount.lookups.configurations).toEqual([]);
  });
});

describe('the provider’s deadline', () => {
  /** Answers when the signal aborts, as modules do. */
  const whenAborted = (signal: AbortSignal): Promise<never> =>
    new Promise((_, reject) => signal.addEventListener('abort', () => reject(OUTAGE)));

  test.each(['the token', 'the machine'])('ends the wait for %s', async (what) => {
    const slow = await mountWithRole({ bound_resource_groups: ['rg'] }, { providerTimeout: 0.01 });
    slow.validator.answer = what === 'the token' ? whenAborted : CLAIMS;
    slow.lookups.machine = whenAborted;
    await expect(slow.login(MACHINE_LOGIN)).rejects.toBe(OUTAGE);
  });

  test('is one for all calls of a login, and does not end what is over', async () => {
    const signals: AbortSignal[] = [];
    mount.validator.answer = (signal) => {
      signals.push(signal);
      return Promise.resolve({ ...CLAIMS, resourceId: vm('web') });
    };
    mount.lookups.machine = (signal) => {
      signals.push(signal);
      return Promise.resolve({ ...MACHINE, systemPrincipalId: OBJECT });
    };
    await mount.login(MACHINE_LOGIN);
    expect(signals[0]).toBe(signals[1]);
    expect(signals[0]?.aborted).toBe(false);
  });
});
