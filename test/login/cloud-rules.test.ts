import { describe, expect, test } from '@jest/globals';
import {
  cloudAnswersForTheResource,
  identitiesToResolve,
  identityIsAttached,
  locationIsBound,
  resourceExists,
} from '../../src/login/cloud-rules.js';
import type { CloudFacts } from '../../src/login/facts.js';
import type { Verdict } from '../../src/login/rule.js';
import {
  confirmedResource,
  factsOf,
  OBJECT,
  OTHER_OBJECT,
  OTHER_SUBSCRIPTION,
  refusal,
  userIdentity,
  vm,
} from './support.js';
import type { Row } from './support.js';

const role = { bound_locations: ['westeurope'] };
const principals = { bound_service_principal_ids: [OBJECT] };
const fromWeb = { resourceId: vm('web') };

function table(name: string, rule: (facts: CloudFacts) => Verdict, rows: Row[]): void {
  describe(name, () => {
    test.each<Row>(rows)('%s', (_, login, verdict) => {
      expect(rule(factsOf(login))).toEqual(verdict);
    });
  });
}

table('resource-exists', resourceExists, [
  ['no resource constraints', { role: principals }, 'not needed'],
  ['a machine', { role, confirmed: confirmedResource() }, 'passed'],
  ['none', { role }, refusal('the cloud knows no such virtual machine', 'none', 'web')],
]);

const another = (seen: string) => refusal('the cloud answered for another resource than the one named', seen, 'web');

table('cloud-answers-for-the-resource', cloudAnswersForTheResource, [
  ['no resource constraints', { role: principals, confirmed: confirmedResource({ id: 'x' }) }, 'not needed'],
  ['no answer', { role }, 'not needed'],
  ['the machine', { role, confirmed: confirmedResource() }, 'passed'],
  ['the machine in capitals', { role, confirmed: confirmedResource({ id: vm('WEB', 'RG').toUpperCase() }) }, 'passed'],
  ...[
    vm('web-2'),
    vm('web', 'rg-2'),
    vm('web', 'rg', OTHER_SUBSCRIPTION),
    `${vm('web')}/extensions/x`,
    vm('web').replace('virtualMachines', 'disks'),
    '',
    'web',
  ].map((id): Row => [`the id ${JSON.stringify(id)}`, { role, confirmed: confirmedResource({ id }) }, another(id)]),
]);

const NOT_ATTACHED = refusal(
  'the token is not of an identity of the virtual machine',
  OBJECT,
  'an identity of the virtual machine',
);
const NOT_ITS_SYSTEM_IDENTITY = refusal(
  'the token does not prove where it comes from, and is not of the system-assigned identity of the virtual machine',
  OBJECT,
  'its system-assigned identity',
);
const bySystem = confirmedResource({ systemPrincipalId: OBJECT.toUpperCase() });
const byNobody = confirmedResource();

table('identity-attached', identityIsAttached, [
  ['no resource constraints', { role: principals, confirmed: byNobody }, 'not needed'],
  ['no answer', { role }, 'not needed'],
  ['the system-assigned identity, proven', { role, claims: fromWeb, confirmed: bySystem }, 'passed'],
  ['the system-assigned identity, not proven', { role, confirmed: bySystem }, 'passed'],
  ['a user-assigned identity, proven', { role, claims: fromWeb, confirmed: byNobody, users: [OBJECT] }, 'passed'],
  ['a user-assigned identity, not proven', { role, confirmed: byNobody, users: [OBJECT] }, NOT_ITS_SYSTEM_IDENTITY],
  ['no identity, proven', { role, claims: fromWeb, confirmed: byNobody }, NOT_ATTACHED],
  [
    'others’ identities',
    {
      role,
      claims: fromWeb,
      confirmed: confirmedResource({ systemPrincipalId: OTHER_OBJECT }),
      users: [OTHER_OBJECT, OBJECT.slice(1)],
    },
    NOT_ATTACHED,
  ],
  [
    'an empty principal and an empty identity (A7)',
    {
      role,
      claims: { ...fromWeb, objectId: '' },
      confirmed: confirmedResource({ systemPrincipalId: '' }),
      users: [''],
    },
    { ...NOT_ATTACHED, seen: '' },
  ],
  [
    'an empty principal and no identity (A7)',
    { role, claims: { objectId: '' }, confirmed: byNobody },
    { ...NOT_ITS_SYSTEM_IDENTITY, seen: '' },
  ],
]);

const elsewhere = (seen: string, wanted = 'westeurope') =>
  refusal('the location is not in bound_locations of the role', seen, wanted);

table('location-bound', locationIsBound, [
  ['no list', { role: { bound_resource_groups: ['rg'] }, confirmed: byNobody }, 'not needed'],
  ['the location', { role, confirmed: byNobody }, 'passed'],
  ['the location with blanks', { role, confirmed: confirmedResource({ location: 'West Europe' }) }, 'passed'],
  ['a list with blanks', { role: { bound_locations: ['East US', 'West Europe'] }, confirmed: byNobody }, 'passed'],
  ['another location', { role, confirmed: confirmedResource({ location: 'westeurope2' }) }, elsewhere('westeurope2')],
  ['no answer', { role }, elsewhere('none')],
  [
    'an empty location is in no list',
    { role: { bound_locations: [''] }, confirmed: confirmedResource({ location: '' }) },
    elsewhere('', ''),
  ],
]);

describe('identities to resolve', () => {
  const unknown = { id: userIdentity('unknown') };
  const known = { id: userIdentity('known'), principalId: OTHER_OBJECT };
  const ask = (changes: Parameters<typeof confirmedResource>[0], claims = fromWeb as object) => {
    const confirmed = confirmedResource(changes);
    return identitiesToResolve(confirmed, factsOf({ role, claims, confirmed }));
  };

  test('are those without a principal, when nothing else decides', () => {
    expect(ask({ userAssigned: [known, unknown] })).toEqual([unknown]);
  });

  test.each([
    ['the system-assigned identity decides', { systemPrincipalId: OBJECT, userAssigned: [unknown] }, fromWeb],
    ['another identity decides', { userAssigned: [unknown, { ...known, principalId: OBJECT }] }, fromWeb],
    ['the token does not prove the machine', { userAssigned: [unknown] }, {}],
    ['all are known', { userAssigned: [known] }, fromWeb],
  ])('are none when %s', (_, changes, claims) => {
    expect(ask(changes, claims)).toEqual([]);
  });
});
