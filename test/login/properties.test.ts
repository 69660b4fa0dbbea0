import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Examination } from '../../src/login/examine.js';
import { parseResourceId } from '../../src/login/resource-id.js';
import { CLOUD_RULES, SOURCE_RULES, TOKEN_RULES } from '../../src/login/rules.js';
import { verifiedMetadata } from '../../src/login/verified-metadata.js';
import { ids, logins } from './generators.js';
import type { NamedLogin } from './generators.js';
import { equalButForCase, isOfScaleSet, sameSegments } from './oracle.js';
import { runs } from './seeded.js';
import { decide, factsOf, site } from './support.js';

/** What the token proves to come from: not a user-assigned identity, unless `xms_az_rid` names it. */
function proofOf({ claims }: NamedLogin): string | undefined {
  const { resourceId, managedIdentityId } = claims;
  return resourceId ?? (managedIdentityId?.includes('/userAssignedIdentities/') ? undefined : managedIdentityId);
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
          expect(
            kind === 'scale set' ? isOfScaleSet(proof, named, login.orchestration) : sameSegments(proof, named),
          ).toBe(true);
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
    runs(5_000),
  );
  // Else the property says nothing.
  for (const kind of ['virtual machine', 'scale set', 'resource', 'workload']) {
    expect([kind, (granted.get(kind) ?? 0) > 20]).toEqual([kind, true]);
  }
});

test('an explanation says of a login what the login itself comes to', () => {
  fc.assert(
    fc.property(logins, (login) => {
      const facts = factsOf(login);
      const examination = new Examination();
      examination.examine(SOURCE_RULES, facts);
      examination.examine(TOKEN_RULES, facts);
      examination.examine(CLOUD_RULES, facts);
      const failed = examination.reports.filter(({ outcome }) => outcome === 'failed').map(({ rule }) => rule);
      const decision = decide(login);
      expect(failed).toEqual(decision === 'granted' ? [] : [decision]);
      expect(examination.goesOn).toBe(decision === 'granted');
    }),
    runs(1_000),
  );
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
    runs(1_000),
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
    runs(1_000),
  );
});
