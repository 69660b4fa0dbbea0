import { beforeEach, describe, expect, test } from '@jest/globals';
import { AuthMethodError } from '../../src/contract/index.js';
import type { ConfirmedResource } from '../../src/contract/index.js';
import {
  CLAIMS,
  MACHINE_LOGIN,
  mountWithRole,
  OBJECT,
  OTHER_OBJECT,
  scaleSet,
  SCALE_SET_LOGIN,
  site,
  SITE_LOGIN,
  SUBSCRIPTION,
  userIdentity,
  vm,
} from './mount.js';
import type { Mount } from './mount.js';

const OUTAGE = new AuthMethodError('provider_unavailable', 'The provider did not answer.', { retryAfter: 7 });
const FORBIDDEN = new AuthMethodError('not_configured', 'The credentials are refused.');
const known = { id: userIdentity('known'), principalId: OBJECT };
const unknown = [{ id: userIdentity('one') }, { id: userIdentity('two') }];
const PLACE = { subscription_id: SUBSCRIPTION, resource_group_name: 'RG' };
const SITE: ConfirmedResource = { id: site('Web', 'RG'), location: 'West Europe', userAssigned: [known] };
const SCALE_SET = { ...SITE, id: scaleSet('Web', 'RG') };

let mount: Mount;

beforeEach(async () => {
  mount = await mountWithRole({ bound_resource_groups: ['RG'], bound_locations: ['westeurope'] });
});

describe('vmss_name, flexible', () => {
  beforeEach(() => {
    mount.validator.answer = { ...CLAIMS, resourceId: vm('WEB_000001') };
    mount.lookups.scaleSetAnswer = { ...SCALE_SET, orchestration: 'flexible' };
  });

  test('asks for the scale set, once, and for nothing else', async () => {
    await mount.login(SCALE_SET_LOGIN);
    expect(mount.lookups.scaleSetCalls).toEqual([{ subscriptionId: SUBSCRIPTION, resourceGroup: 'rg', name: 'web' }]);
    expect(mount.lookups.configurations).toHaveLength(1);
  });

  test('ignores the machine and the resource that are named beside it', async () => {
    const body = { ...SCALE_SET_LOGIN, vm_name: 'other', resource_id: site('other', 'other') };
    const auth = await mount.login(body);
    expect(mount.lookups.configurations).toHaveLength(1);
    expect(auth.metadata).toEqual({ role: 'dev', ...PLACE, vmss_name: 'Web' });
    expect(auth.alias).toEqual({ name: OBJECT, metadata: { ...PLACE, vmss_name: 'Web' } });
  });

  test('meets a bound scale set', async () => {
    await mount.write('role/dev', { bound_scale_sets: ['other', 'WEB'] });
    await expect(mount.login(SCALE_SET_LOGIN)).resolves.toBeDefined();
    await mount.write('role/dev', { bound_scale_sets: ['web2'] });
    await expect(mount.login(SCALE_SET_LOGIN)).rejects.toMatchObject({ rule: 'scale-set-bound' });
  });

  test('looks identities up that come without a principal', async () => {
    mount.lookups.scaleSetAnswer = { ...SCALE_SET, orchestration: 'flexible', userAssigned: unknown };
    mount.lookups.identities = { one: FORBIDDEN, two: OBJECT };
    await expect(mount.login(SCALE_SET_LOGIN)).resolves.toBeDefined();
    expect(mount.lookups.identityCalls).toEqual(
      ['one', 'two'].map((name) => ({ subscriptionId: SUBSCRIPTION, resourceGroup: 'ids', name })),
    );
  });

  test('with an identity that no token proves is refused without looking any up (A1)', async () => {
    mount.lookups.scaleSetAnswer = { ...SCALE_SET, orchestration: 'flexible', userAssigned: [known, ...unknown] };
    mount.validator.answer = CLAIMS;
    await expect(mount.login(SCALE_SET_LOGIN)).rejects.toMatchObject({ rule: 'identity-attached' });
    expect(mount.lookups.identityCalls).toEqual([]);
  });
});

describe('vmss_name, uniform', () => {
  beforeEach(() => {
    mount.lookups.scaleSetAnswer = { ...SCALE_SET, orchestration: 'uniform' };
  });

  test('lets an instance in, with its own name nowhere', async () => {
    mount.validator.answer = { ...CLAIMS, resourceId: `${scaleSet('WEB')}/virtualMachines/0` };
    expect((await mount.login(SCALE_SET_LOGIN)).metadata).toEqual({ role: 'dev', ...PLACE, vmss_name: 'Web' });
  });

  test('has no virtual machines of its own (A2)', async () => {
    mount.validator.answer = { ...CLAIMS, resourceId: vm('web_000001') };
    await expect(mount.login(SCALE_SET_LOGIN)).rejects.toMatchObject({
      code: 'login_denied',
      rule: 'orchestration-agrees',
    });
  });
});

describe('resource_id', () => {
  beforeEach(() => {
    mount.lookups.resourceAnswer = SITE;
  });

  test.each([
    ['proven', { resourceId: site('WEB') }],
    ['whose identity proves itself', { managedIdentityId: userIdentity('KNOWN') }],
    ['without a proof', {}],
  ])('%s asks for the resource, once, and for nothing else', async (_, claims) => {
    mount.validator.answer = { ...CLAIMS, ...claims };
    await mount.login(SITE_LOGIN);
    expect(mount.lookups.resourceCalls).toEqual([
      { subscriptionId: SUBSCRIPTION, resourceGroup: 'rg', type: 'Microsoft.Web/sites', names: ['web'] },
    ]);
    expect(mount.lookups.configurations).toHaveLength(1);
  });

  test('is in the metadata as the cloud spells it', async () => {
    expect((await mount.login(SITE_LOGIN)).alias.metadata).toEqual({ ...PLACE, resource_id: site('Web', 'RG') });
  });

  test('may name a resource below another', async () => {
    const slot = { id: `${site('Web', 'RG')}/slots/Blue`, location: 'westeurope', userAssigned: [known] };
    mount.lookups.resourceAnswer = slot;
    const auth = await mount.login({ ...SITE_LOGIN, resource_id: `${site('web')}/slots/blue` });
    expect(auth.metadata).toMatchObject({ resource_id: slot.id });
    expect(mount.lookups.resourceCalls).toMatchObject([{ type: 'Microsoft.Web/sites/slots', names: ['web', 'blue'] }]);
  });

  test.each([vm('web'), scaleSet('web'), `${scaleSet('web')}/virtualMachines/0`])(
    'of a machine needs the proof of a machine: %s',
    async (id) => {
      const body = { ...SITE_LOGIN, resource_id: id };
      mount.lookups.resourceAnswer = { ...SITE, id, userAssigned: [known, ...unknown] };
      await expect(mount.login(body)).rejects.toMatchObject({ rule: 'identity-attached' });
      mount.validator.answer = { ...CLAIMS, managedIdentityId: known.id };
      await expect(mount.login(body)).rejects.toMatchObject({ rule: 'token-proves-a-machine' });
      expect(mount.lookups.identityCalls).toEqual([]);
      mount.validator.answer = { ...CLAIMS, resourceId: id };
      await expect(mount.login(body)).resolves.toBeDefined();
    },
  );

  test('looks up but the identity that the token names', async () => {
    mount.validator.answer = { ...CLAIMS, managedIdentityId: userIdentity('TWO') };
    mount.lookups.resourceAnswer = { ...SITE, userAssigned: unknown };
    mount.lookups.identities = { one: OUTAGE, two: OTHER_OBJECT };
    await expect(mount.login(SITE_LOGIN)).rejects.toMatchObject({ rule: 'identity-attached' });
    expect(mount.lookups.identityCalls).toMatchObject([{ name: 'two' }]);
  });
});

describe.each([
  ['a scale set', SCALE_SET_LOGIN, { ...CLAIMS, resourceId: scaleSet('web') }],
  ['a resource', SITE_LOGIN, { ...CLAIMS, resourceId: site('web') }],
])('%s', (_kind, body, claims) => {
  function answer(changes: Partial<ConfirmedResource> | Error | undefined): void {
    const whole = (resource: ConfirmedResource) =>
      changes === undefined || changes instanceof Error ? changes : { ...resource, ...changes };
    mount.lookups.resourceAnswer = whole(SITE);
    const confirmed = whole(SCALE_SET);
    mount.lookups.scaleSetAnswer =
      confirmed === undefined || confirmed instanceof Error ? confirmed : { ...confirmed, orchestration: 'uniform' };
  }

  beforeEach(() => {
    mount.validator.answer = claims;
  });

  test.each<[string, Partial<ConfirmedResource> | undefined]>([
    ['resource-exists', undefined],
    ['cloud-answers-for-the-resource', { id: site('web2') }],
    ['identity-attached', { systemPrincipalId: OTHER_OBJECT, userAssigned: [] }],
    ['location-bound', { location: 'eastus' }],
  ])('is refused by %s', async (rule, changes) => {
    answer(changes);
    await expect(mount.login(body)).rejects.toMatchObject({ code: 'login_denied', rule, status: 403 });
  });

  test.each([OUTAGE, FORBIDDEN])('that cannot be asked for is no denial: $code', async (error) => {
    answer(error);
    await expect(mount.login(body)).rejects.toBe(error);
    expect(mount.logger.lines).toEqual([]);
  });

  test('may have an identity that cannot be read, if another serves', async () => {
    answer({ userAssigned: unknown });
    mount.lookups.identities = { one: OUTAGE, two: OBJECT };
    await expect(mount.login(body)).resolves.toBeDefined();
  });

  test('is an outage when an identity that might decide is not answered for', async () => {
    answer({ userAssigned: unknown });
    mount.lookups.identities = { one: OTHER_OBJECT, two: OUTAGE };
    await expect(mount.login(body)).rejects.toBe(OUTAGE);
  });

  test('is refused when its identities are not for us to read', async () => {
    answer({ userAssigned: unknown });
    mount.lookups.identities = { one: OTHER_OBJECT, two: FORBIDDEN };
    await expect(mount.login(body)).rejects.toMatchObject({ rule: 'identity-attached' });
  });

  test('has its identities looked up side by side', async () => {
    const events: string[] = [];
    const slow = (name: string) => async () => {
      events.push(`${name} begins`);
      await new Promise(setImmediate);
      events.push(`${name} ends`);
      return OBJECT;
    };
    answer({ userAssigned: unknown });
    mount.lookups.identities = { one: slow('one'), two: slow('two') };
    await mount.login(body);
    expect(events).toEqual(['one begins', 'two begins', 'one ends', 'two ends']);
  });
});

test('all calls of a login get its configuration and its one deadline', async () => {
  const signals: AbortSignal[] = [];
  const keep =
    <T>(value: T) =>
    (signal: AbortSignal): Promise<T> => {
      signals.push(signal);
      return Promise.resolve(value);
    };
  mount.validator.answer = keep({ ...CLAIMS, resourceId: vm('web_1') });
  mount.lookups.scaleSetAnswer = keep({ ...SCALE_SET, userAssigned: unknown, orchestration: 'flexible' as const });
  mount.lookups.identities = { one: keep(OTHER_OBJECT), two: keep(OBJECT) };
  await mount.login(SCALE_SET_LOGIN);
  expect(signals).toHaveLength(4);
  expect(new Set(signals).size).toBe(1);
  const { configuration } = mount.validator.calls[0]!;
  expect(new Set(mount.lookups.configurations)).toEqual(new Set([configuration]));
});

test('what is named decides which lookup is asked', async () => {
  const claims = { ...CLAIMS };
  mount.validator.answer = claims;
  for (const body of [MACHINE_LOGIN, SCALE_SET_LOGIN, SITE_LOGIN]) {
    await expect(mount.login(body)).rejects.toMatchObject({ rule: 'resource-exists' });
  }
  const { machineCalls, scaleSetCalls, resourceCalls, configurations } = mount.lookups;
  expect([machineCalls, scaleSetCalls, resourceCalls].map((calls) => calls.length)).toEqual([1, 1, 1]);
  expect(configurations).toHaveLength(3);
});
