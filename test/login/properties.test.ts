import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parseResourceId } from '../../src/login/resource-id.js';
import { verifiedMetadata } from '../../src/login/verified-metadata.js';
import { ids, logins } from './generators.js';
import type { NamedLogin } from './generators.js';
import { decide, factsOf, site } from './support.js';

/** Whether two names differ in case alone, told without the code under test. */
function equalButForCase(left: string, right: string): boolean {
  return left.toLowerCase() === right.toLowerCase() && left.toUpperCase() === right.toUpperCase();
}

function sameSegments(left: string, right: string): boolean {
  const [segments, others] = [left.split('/'), right.split('/')];
  return (
    segments.length === others.length && segments.every((segment, index) => equalButForCase(segment, others[index]!))
  );
}

/** What the token proves to come from: not a user-assigned identity, unless `xms_az_rid` names it. */
function proofOf({ claims }: NamedLogin): string | undefined {
  const { resourceId, managedIdentityId } = claims;
  return resourceId ?? (managedIdentityId?.includes('/userAssignedIdentities/') ? undefined : managedIdentityId);
}

/** Whether a proof is of the scale set, of an instance below it, or of a machine of its own: `<name>_<letters and digits>`. */
function isOfScaleSet(proof: string, { named, orchestration }: NamedLogin): boolean {
  const below = /^(.*)\/virtualMachines\/[^/]+$/.exec(proof)?.[1];
  if (sameSegments(proof, named) || (below !== undefined && sameSegments(below, named))) return true;
  const owner = /^(.*)_[A-Za-z0-9]+$/.exec(proof)?.[1]?.replace(/virtualMachines/, 'virtualMachineScaleSets');
  return orchestration === 'flexible' && owner !== undefined && sameSegments(owner, named);
}

test('nothing is granted whose proven and confirmed resources differ in any segment from the one named', () => {
  const granted = new Map<string, number>();
  fc.assert(
    fc.property(logins, (login) => {
      if (decide(login) !== 'granted') return;
      const { kind, named, claims, confirmed } = login;
      const proof = proofOf(login);
      granted.set(kind, (granted.get(kind) ?? 0) + 1);

      const answered = confirmed?.id ?? '';
      if (kind === 'workload') {
        // Any identity will do, so long as it is one, and in that group.
        expect(sameSegments(answered.replace(/[^/]*$/, ''), named.replace(/[^/]*$/, ''))).toBe(true);
      } else {
        expect(sameSegments(answered, named)).toBe(true);
        if (proof !== undefined)
          expect(kind === 'scale set' ? isOfScaleSet(proof, login) : sameSegments(proof, named)).toBe(true);
      }

      const isMachine = /\/Microsoft\.Compute\/virtualMachine/.test(named);
      const users = (confirmed?.userAssigned ?? []).filter(
        ({ id }) =>
          proof !== undefined ||
          (!isMachine && (claims.managedIdentityId === undefined || equalButForCase(id, claims.managedIdentityId))),
      );
      const principals = [confirmed?.systemPrincipalId, ...users.map(({ principalId }) => principalId)];
      expect(claims.objectId).not.toBe('');
      expect(principals.some((principal) => equalButForCase(principal ?? '', claims.objectId ?? ''))).toBe(true);
    }),
    { numRuns: 5_000 },
  );
  // Else the property says nothing.
  for (const kind of ['virtual machine', 'scale set', 'resource', 'workload']) {
    expect([kind, (granted.get(kind) ?? 0) > 20]).toEqual([kind, true]);
  }
});

test('metadata holds only segments of the proof or of the cloud’s answer, and no other’s name', () => {
  fc.assert(
    fc.property(logins, (login) => {
      const { named, request, confirmed } = login;
      const metadata = verifiedMetadata(factsOf(login));
      const sources = [proofOf(login), confirmed?.id].filter(
        (id) => id !== undefined && parseResourceId(id),
      ) as string[];
      const { subscription_id: subscription, resource_group_name: group, ...name } = metadata;
      if (sources.length === 0) {
        expect(metadata).toEqual({});
        return;
      }
      const source = sources.find((id) => id.split('/')[2] === subscription && id.split('/')[4] === group);
      expect(source).toBeDefined();
      expect(Object.keys(name).length).toBeLessThan(2);
      for (const [field, value] of Object.entries(name)) {
        // The words of an id that are no names are written in one way.
        const spelled = sources.map((id) => id.replace('/resourcegroups/', '/resourceGroups/'));
        expect(spelled.some((id) => id === value || id.split('/').includes(value))).toBe(true);
        const wanted = { vm_name: request.vmName, vmss_name: request.scaleSetName, resource_id: named }[field];
        expect(sameSegments(value, wanted ?? '')).toBe(true);
      }
    }),
    { numRuns: 1_000 },
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
  const request = fc.record(
    {
      subscriptionId: text,
      resourceGroup: text,
      vmName: text,
      scaleSetName: text,
      resourceId: ids.map((id) => parseResourceId(id) ?? parseResourceId(site('web'))!),
    },
    { requiredKeys: ['subscriptionId', 'resourceGroup', 'vmName', 'scaleSetName'] },
  );
  const claims = fc.record(
    {
      objectId: text,
      applicationId: text,
      groups: texts,
      groupOverage: fc.boolean(),
      resourceId: fc.oneof(text, ids),
      managedIdentityId: fc.oneof(text, ids),
    },
    { requiredKeys: ['objectId'] },
  );
  const confirmed = fc.record({
    id: fc.oneof(text, ids),
    location: text,
    systemPrincipalId: text,
    userAssigned: fc.array(fc.record({ id: fc.oneof(text, ids), principalId: text }), { maxLength: 2 }),
  });
  fc.assert(
    fc.property(role, request, claims, confirmed, text, texts, (...[bound, named, said, answered, address, groups]) => {
      const login = {
        role: bound,
        request: named,
        claims: said,
        confirmed: answered,
        address,
        confirmedGroups: groups,
      };
      expect(decide(login)).toMatch(/^granted$|^[a-z-]+$/);
      expect(() => verifiedMetadata(factsOf(login))).not.toThrow();
    }),
  );
});
