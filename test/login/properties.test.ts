import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { AttachedIdentity } from '../../src/contract/index.js';
import { sameName } from '../../src/login/fold.js';
import { parseResourceId } from '../../src/login/resource-id.js';
import { verifiedMetadata } from '../../src/login/verified-metadata.js';
import {
  decide,
  factsOf,
  OBJECT,
  OTHER_OBJECT,
  OTHER_SUBSCRIPTION,
  SUBSCRIPTION,
  userIdentity,
  vm,
} from './support.js';

// Few enough that they collide, alike enough to be confused.
const names = fc.constantFrom('web', 'WEB', 'web-2', 'we', 'web_x1', 'wek', 'we\u212a', 'wеb');
const groups = fc.constantFrom('rg', 'RG', 'rg-evil', 'r', 'web');
const subscriptions = fc.constantFrom(SUBSCRIPTION, SUBSCRIPTION.toUpperCase(), OTHER_SUBSCRIPTION);
const objects = fc.constantFrom(OBJECT, OBJECT.toUpperCase(), OTHER_OBJECT, '');
const ids = fc.oneof(
  { weight: 6, arbitrary: fc.tuple(names, groups, subscriptions).map((parts) => vm(...parts)) },
  fc.tuple(names, groups, subscriptions).map((parts) => userIdentity(...parts)),
  fc
    .tuple(names, names)
    .map(([set, name]) => `${vm(set).replace('virtualMachines', 'virtualMachineScaleSets')}/virtualMachines/${name}`),
  fc.string({ unit: 'binary', maxLength: 20 }),
);
const perhaps = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(arbitrary, { nil: undefined, freq: 3 });

const logins = fc
  .record({
    request: fc.record({ subscriptionId: subscriptions, resourceGroup: groups, vmName: names }),
    objectId: objects,
    resourceId: perhaps(ids),
    managedIdentityId: perhaps(ids),
    confirmedId: perhaps(ids),
    echo: fc.boolean(),
    systemPrincipalId: perhaps(objects),
    users: fc.array(objects, { maxLength: 2 }),
  })
  .map(({ request, objectId, resourceId, managedIdentityId, confirmedId, echo, systemPrincipalId, users }) => {
    // Most clouds answer for what they were asked.
    const id = echo ? vm(request.vmName, request.resourceGroup, request.subscriptionId) : confirmedId;
    const userAssigned: AttachedIdentity[] = [];
    return {
      role: { bound_locations: ['westeurope'] },
      request,
      claims: {
        objectId,
        ...(resourceId !== undefined && { resourceId }),
        ...(managedIdentityId !== undefined && { managedIdentityId }),
      },
      users,
      ...(id !== undefined && {
        confirmed: {
          id,
          location: 'westeurope',
          userAssigned,
          ...(systemPrincipalId !== undefined && { systemPrincipalId }),
        },
      }),
    };
  });

/** Whether two names differ in case alone, told without the code under test. */
function equalButForCase(left: string, right: string): boolean {
  return left.toLowerCase() === right.toLowerCase() && left.toUpperCase() === right.toUpperCase();
}

test('nothing is granted whose proven and confirmed resources differ in any segment from the one named', () => {
  let granted = 0;
  fc.assert(
    fc.property(logins, (login) => {
      if (decide(login) !== 'granted') return;
      granted += 1;
      const { subscriptionId, resourceGroup, vmName } = login.request;
      const named = vm(vmName, resourceGroup, subscriptionId).split('/');
      const proof = login.claims.resourceId ?? login.claims.managedIdentityId;
      for (const id of [login.confirmed?.id, ...(proof === undefined ? [] : [proof])]) {
        const segments = id?.split('/') ?? [];
        expect(segments).toHaveLength(named.length);
        for (const [index, segment] of segments.entries()) expect(equalButForCase(segment, named[index]!)).toBe(true);
      }
      expect(login.claims.objectId).not.toBe('');
      const own = [login.confirmed?.systemPrincipalId, ...(proof === undefined ? [] : login.users)];
      expect(own.some((principal) => principal?.toLowerCase() === login.claims.objectId.toLowerCase())).toBe(true);
    }),
    { numRuns: 3_000 },
  );
  // Else the property says nothing.
  expect(granted).toBeGreaterThan(20);
});

test('metadata holds only segments of the proof, or else of the cloud’s answer', () => {
  fc.assert(
    fc.property(logins, (login) => {
      const facts = factsOf(login);
      const source = facts.proven ?? (login.confirmed && parseResourceId(login.confirmed.id));
      const metadata = verifiedMetadata(facts);
      if (source === undefined || source === 'unreadable') {
        expect(metadata).toEqual({});
        return;
      }
      expect(metadata['subscription_id']).toBe(source.subscriptionId);
      expect(metadata['resource_group_name']).toBe(source.resourceGroup);
      if (metadata['vm_name'] !== undefined) {
        expect(source.names).toEqual([metadata['vm_name']]);
        expect(sameName(metadata['vm_name'], login.request.vmName)).toBe(true);
      }
    }),
  );
});

test('no claims, names or ids make a rule crash', () => {
  const text = fc.string({ unit: 'binary', maxLength: 12 });
  const texts = fc.array(text, { maxLength: 3 });
  const role = fc.record(
    {
      bound_service_principal_ids: texts,
      bound_group_ids: texts,
      bound_subscription_ids: texts,
      bound_resource_groups: texts,
      bound_locations: texts,
      bound_scale_sets: texts,
    },
    { requiredKeys: [] },
  );
  const request = fc.record({
    subscriptionId: text,
    resourceGroup: text,
    vmName: text,
    scaleSetName: text,
    resourceId: text,
  });
  const claims = fc.record(
    { objectId: text, groups: texts, resourceId: fc.oneof(text, ids), managedIdentityId: fc.oneof(text, ids) },
    { requiredKeys: ['objectId'] },
  );
  const confirmed = fc.record({
    id: fc.oneof(text, ids),
    location: text,
    systemPrincipalId: text,
    userAssigned: fc.constant([]),
  });
  fc.assert(
    fc.property(role, request, claims, confirmed, text, (...[bound, named, said, answered, address]) => {
      const login = { role: bound, request: named, claims: said, confirmed: answered, address };
      expect(decide(login)).toMatch(/^granted$|^[a-z-]+$/);
      expect(() => verifiedMetadata(factsOf(login))).not.toThrow();
    }),
  );
});
