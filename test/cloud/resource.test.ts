import { describe, expect, test } from '@jest/globals';
import { createCloudLookups } from '../../src/cloud/index.js';
import type { CloudLookups, OutboundResponse, TypedResourceReference } from '../../src/contract/index.js';
import { ManualClock } from '../support/clock.js';
import { recordingLogger } from '../support/logger.js';
import { CONFIGURATION, MACHINE, answer, routedCloud } from './fakes.js';
import type { FakeTransport } from './fakes.js';

const signal = new AbortController().signal;
const { subscriptionId, resourceGroup } = MACHINE;
const SITE: TypedResourceReference = { subscriptionId, resourceGroup, type: 'Microsoft.Web/sites', names: ['shop'] };
const SITE_ANSWER = answer(200, { id: '/sites/shop', location: 'West Europe', identity: { principalId: 'system' } });
const REFUSED = answer(400, { error: { code: 'NoRegisteredProviderFound' } });

const provider = (types: Readonly<Record<string, unknown>>): OutboundResponse =>
  answer(200, {
    namespace: 'Microsoft.Web',
    resourceTypes: Object.entries(types).map(([resourceType, apiVersions]) => ({ resourceType, apiVersions })),
  });
const isList = (asked: string): boolean => /^GET \/subscriptions\/[^/]+\/providers\/[^/]+\?/.test(asked);
const versions = ({ requests }: FakeTransport): (string | null)[] =>
  requests
    .filter(({ url }) => url.includes('/resourceGroups/'))
    .map(({ url }) => new URL(url).searchParams.get('api-version'));
const lists = ({ requests }: FakeTransport): number =>
  requests.filter(({ method, url }) => isList(`${method} ${new URL(url).pathname}?`)).length;

function lookupsOn(transport: FakeTransport): CloudLookups {
  return createCloudLookups({ transport, clock: new ManualClock(), logger: recordingLogger() });
}

describe('a resource', () => {
  test('is read by its id, each segment encoded', async () => {
    const transport = routedCloud((asked) =>
      isList(asked) ? provider({ 'sites/slots': ['2024-01-01'] }) : SITE_ANSWER,
    );
    const slot = { ...SITE, type: 'Microsoft.Web/sites/slots', names: ['a b{x}', 'ä;=@'] };
    expect(await lookupsOn(transport).resource(slot, CONFIGURATION, signal)).toEqual({
      id: '/sites/shop',
      location: 'West Europe',
      systemPrincipalId: 'system',
      userAssigned: [],
    });
    expect(new URL(transport.requests[2]!.url).pathname).toBe(
      `/subscriptions/${subscriptionId}/resourceGroups/Gruppe-(%C3%A4)/providers/Microsoft.Web/sites/a%20b%7Bx%7D/slots/%C3%A4%3B%3D%40`,
    );
  });

  test.each([
    ['the newest stable version', ['2019-08-01', '2024-04-01', '2023-12-01', '2025-01-01-preview'], '2024-04-01'],
    ['a preview where there is no other', ['2023-01-01-preview', '2024-01-01-preview'], '2024-01-01-preview'],
    ['a readable version', ['2024-01-01', '9999-01-01&x=y', 7, null, '9999-01-01-', 'v9'], '2024-01-01'],
  ])('is read with %s', async (_, offered, version) => {
    const transport = routedCloud((asked) => (isList(asked) ? provider({ SITES: offered }) : SITE_ANSWER));
    await lookupsOn(transport).resource(SITE, CONFIGURATION, signal);
    expect(versions(transport)).toEqual([version]);
  });

  test('needs the list of its namespace once, for all types, groups and subscriptions', async () => {
    const transport = routedCloud((asked) =>
      isList(asked) ? provider({ sites: ['2024-04-01'], 'sites/slots': ['2023-01-01'] }) : SITE_ANSWER,
    );
    const lookups = lookupsOn(transport);
    const slot = { ...SITE, type: 'microsoft.web/sites/SLOTS', names: ['shop', 'test'] };
    await Promise.all([SITE, SITE, slot].map((resource) => lookups.resource(resource, CONFIGURATION, signal)));
    await lookups.resource({ ...SITE, subscriptionId: 'other' }, CONFIGURATION, signal);
    expect(lists(transport)).toBe(1);
    expect(versions(transport).sort()).toEqual(['2023-01-01', '2024-04-01', '2024-04-01', '2024-04-01']);
  });

  test('of another configuration needs a list of its own', async () => {
    const transport = routedCloud((asked) => (isList(asked) ? provider({ sites: ['2024-04-01'] }) : SITE_ANSWER));
    const lookups = lookupsOn(transport);
    await lookups.resource(SITE, CONFIGURATION, signal);
    await lookups.resource(SITE, { ...CONFIGURATION }, signal);
    expect(lists(transport)).toBe(2);
  });

  test.each(['NoRegisteredProviderFound', 'InvalidApiVersionParameter', 'InvalidResourceType'])(
    'whose version is refused with %s is read with the one that has come since',
    async (code) => {
      let offered = '2020-01-01';
      let accepted = '2020-01-01';
      const transport = routedCloud((asked) => {
        if (isList(asked)) return provider({ sites: [offered] });
        return asked.endsWith(accepted) ? SITE_ANSWER : answer(400, { error: { code } });
      });
      const lookups = lookupsOn(transport);
      await lookups.resource(SITE, CONFIGURATION, signal);
      offered = accepted = '2024-04-01';
      expect(await lookups.resource(SITE, CONFIGURATION, signal)).toMatchObject({ id: '/sites/shop' });
      expect(await lookups.resource(SITE, CONFIGURATION, signal)).toMatchObject({ id: '/sites/shop' });
      expect(versions(transport)).toEqual(['2020-01-01', '2020-01-01', '2024-04-01', '2024-04-01']);
      expect(lists(transport)).toBe(2);
    },
  );

  test('is an outage when the newest version is refused too', async () => {
    const transport = routedCloud((asked) => (isList(asked) ? provider({ sites: ['2024-04-01'] }) : REFUSED));
    const lookups = lookupsOn(transport);
    await expect(lookups.resource(SITE, CONFIGURATION, signal)).rejects.toMatchObject({ code: 'provider_unavailable' });
    expect(lists(transport)).toBe(1);
    await expect(lookups.resource(SITE, CONFIGURATION, signal)).rejects.toMatchObject({ code: 'provider_unavailable' });
    expect(lists(transport)).toBe(2);
  });

  test.each([
    ['namespace', answer(404, { error: { code: 'InvalidResourceNamespace' } }), SITE_ANSWER],
    ['type', provider({ other: ['2024-04-01'] }), SITE_ANSWER],
    ['type with versions', provider({ sites: [] }), SITE_ANSWER],
    ['subscription', answer(404, { error: { code: 'SubscriptionNotFound' } }), SITE_ANSWER],
    ['resource', provider({ sites: ['2024-04-01'] }), answer(404, { error: { code: 'ResourceNotFound' } })],
    ['parent', provider({ sites: ['2024-04-01'] }), answer(404, { error: { code: 'ParentResourceNotFound' } })],
  ])('is not there when its %s is not', async (_, list, resource) => {
    const transport = routedCloud((asked) => (isList(asked) ? list : resource));
    expect(await lookupsOn(transport).resource(SITE, CONFIGURATION, signal)).toBeUndefined();
  });

  test('is found although a subscription without it asks at the same time', async () => {
    const transport = routedCloud((asked) => {
      if (asked.includes('/bogus/')) return answer(404, { error: { code: 'SubscriptionNotFound' } });
      return isList(asked) ? provider({ sites: ['2024-04-01'] }) : SITE_ANSWER;
    });
    const lookups = lookupsOn(transport);
    const [bogus, site] = await Promise.all(
      ['bogus', subscriptionId].map((id) => lookups.resource({ ...SITE, subscriptionId: id }, CONFIGURATION, signal)),
    );
    expect(bogus).toBeUndefined();
    expect(site).toMatchObject({ id: '/sites/shop' });
  });

  test.each(['', '"text"', [], {}, { resourceTypes: 'x' }])(
    'is an outage when its provider answers %j',
    async (body) => {
      const transport = routedCloud((asked) => (isList(asked) ? answer(200, body) : SITE_ANSWER));
      const found = lookupsOn(transport).resource(SITE, CONFIGURATION, signal);
      await expect(found).rejects.toMatchObject({ code: 'provider_unavailable' });
    },
  );

  test.each<[string, Partial<TypedResourceReference>]>([
    ['a name that leaves its segment', { names: ['..'] }],
    ['a name of two segments', { names: ['a/b'] }],
    ['a name with a query', { names: ['a?b'] }],
    ['an escaped name', { names: ['a%2fb'] }],
    ['too few names', { names: [] }],
    ['too many names', { names: ['a', 'b'] }],
    ['no type', { type: 'Microsoft.Web', names: [] }],
    ['an empty type', { type: 'Microsoft.Web/', names: ['a'] }],
    ['an empty namespace', { type: '/sites', names: ['a'] }],
    ['a namespace that leaves its segment', { type: '../sites', names: ['a'] }],
    ['a group that leaves its segment', { resourceGroup: '..' }],
    ['no subscription', { subscriptionId: '' }],
  ])('is never asked about with %s', async (_, part) => {
    const transport = routedCloud((asked) => (isList(asked) ? provider({ sites: ['2024-04-01'] }) : SITE_ANSWER));
    const found = lookupsOn(transport).resource({ ...SITE, ...part }, CONFIGURATION, signal);
    await expect(found).rejects.toMatchObject({ code: 'internal' });
    expect(transport.requests).toEqual([]);
  });
});
