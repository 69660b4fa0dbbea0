import type { AttachedIdentity } from '../../src/contract/index.js';
import {
  APPLICATION,
  AS_WORKLOAD,
  asResource,
  asScaleSet,
  confirmedResource,
  OBJECT,
  OTHER_OBJECT,
  OTHER_SUBSCRIPTION,
  refusal,
  scaleSet,
  site,
  SUBSCRIPTION,
  table,
  userIdentity,
  vm,
} from './support.js';
import type { Login, Row } from './support.js';

const role = { bound_locations: ['westeurope'] };
const principals = { bound_service_principal_ids: [OBJECT] };
const fromWeb = { resourceId: vm('web') };

/** A login of the scale set `web`, which the cloud knows. */
function set(login: Omit<Login, 'request'> = {}): Login {
  return { role, request: asScaleSet('web'), confirmed: confirmedResource({ id: scaleSet('web') }), ...login };
}

/** A login of the web app `web`, which the cloud knows. */
function app(login: Omit<Login, 'request'> = {}): Login {
  return { role, request: asResource(site('web')), confirmed: confirmedResource({ id: site('web') }), ...login };
}

/** A login of a workload in the group `rg`, whose identity is `own`. */
function workload(login: Login = {}): Login {
  const confirmed = confirmedResource({
    id: userIdentity('own'),
    userAssigned: [{ id: userIdentity('own'), principalId: OBJECT }],
  });
  return { role, request: AS_WORKLOAD, claims: { applicationId: APPLICATION }, confirmed, ...login };
}

table('resource-exists', [
  ['no resource constraints', { role: principals }, 'not needed'],
  ['a machine', { role, confirmed: confirmedResource() }, 'passed'],
  ['none', { role }, refusal('the cloud knows no such virtual machine', '', vm('web'))],
  [
    'no scale set',
    { role, request: asScaleSet('web') },
    refusal('the cloud knows no such scale set', '', scaleSet('web')),
  ],
  [
    'no resource',
    { role, request: asResource(site('web')) },
    refusal('the cloud knows no such resource', '', site('web')),
  ],
  ['an identity of a workload', workload(), 'passed'],
  [
    'no identity of a workload',
    { role, request: AS_WORKLOAD, claims: { applicationId: APPLICATION } },
    refusal(
      'no user-assigned identity in the bound resource groups belongs to the token',
      '',
      `an identity with the client id ${APPLICATION}`,
    ),
  ],
]);

const another = (seen: string, wanted = vm('web')) =>
  refusal('the cloud answered for another resource than the one named', seen, wanted);
const answeredBy = (id: string, login: Login): Login => ({ ...login, confirmed: confirmedResource({ id }) });
const anIdentity = 'a user-assigned identity in a bound resource group';

table('cloud-answers-for-the-resource', [
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
  ['the scale set', set(), 'passed'],
  ...[scaleSet('web2'), vm('web'), `${scaleSet('web')}/virtualMachines/0`, scaleSet('web', 'r')].map((id): Row => [
    `the id ${id} for a scale set`,
    answeredBy(id, set()),
    another(id, scaleSet('web')),
  ]),
  ['the resource', app(), 'passed'],
  ...[site('web2'), `${site('web')}/slots/web`, vm('web'), site('web', 'rg', OTHER_SUBSCRIPTION)].map((id): Row => [
    `the id ${id} for a resource`,
    answeredBy(id, app()),
    another(id, site('web')),
  ]),
  ['an identity in the named group', workload(), 'passed'],
  [
    'an identity in a bound group',
    workload({
      role: { bound_resource_groups: ['other', 'RG'], bound_subscription_ids: [SUBSCRIPTION.toUpperCase()] },
      request: { ...AS_WORKLOAD, resourceGroup: '', subscriptionId: '' },
    }),
    'passed',
  ],
  ...[
    userIdentity('own', 'rg-2'),
    userIdentity('own', 'rg', OTHER_SUBSCRIPTION),
    `${userIdentity('own')}/federatedIdentityCredentials/x`,
    site('own'),
    'own',
  ].map((id): Row => [`the id ${id} for an identity (A6)`, answeredBy(id, workload()), another(id, anIdentity)]),
]);

const ofTheMachine = { claims: { resourceId: vm('web_x1') } };
const noneOfItsOwn = refusal(
  'the token comes from a virtual machine, and the scale set has none of its own',
  'uniform',
  'flexible, as the token comes from a virtual machine',
);

table('orchestration-agrees', [
  ['no resource constraints', set({ ...ofTheMachine, role: principals, orchestration: 'uniform' }), 'not needed'],
  ['no answer', { role, request: asScaleSet('web'), ...ofTheMachine }, 'not needed'],
  ['a token that names nothing', set({ orchestration: 'uniform' }), 'not needed'],
  ['the scale set', set({ orchestration: 'uniform', claims: { resourceId: scaleSet('web') } }), 'not needed'],
  [
    'an instance below it',
    set({ orchestration: 'uniform', claims: { resourceId: `${scaleSet('web')}/virtualMachines/0` } }),
    'not needed',
  ],
  ['a machine by vm_name', { role, confirmed: confirmedResource(), claims: fromWeb }, 'not needed'],
  ['a machine of a flexible scale set', set({ ...ofTheMachine, orchestration: 'flexible' }), 'passed'],
  ['a machine, the scale set being uniform', set({ ...ofTheMachine, orchestration: 'uniform' }), noneOfItsOwn],
  ['a machine, the scale set not telling', set(ofTheMachine), { ...noneOfItsOwn, seen: 'unknown' }],
]);

const notAttached = (what: string, wanted = '') =>
  refusal(`the token is not of an identity of the ${what}`, OBJECT, wanted);
const notItsSystemIdentity = (what: string) =>
  refusal(
    `the token does not prove where it comes from, and is not of the system-assigned identity of the ${what}`,
    OBJECT,
    '',
  );
const NOT_ATTACHED = notAttached('virtual machine');
const NOT_ITS_SYSTEM_IDENTITY = notItsSystemIdentity('virtual machine');
const bySystem = confirmedResource({ systemPrincipalId: OBJECT.toUpperCase() });
const byNobody = confirmedResource();

table('identity-attached', [
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
    { ...NOT_ATTACHED, wanted: [OTHER_OBJECT, OTHER_OBJECT, OBJECT.slice(1)].join(', ') },
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

const web = { claims: { resourceId: site('web') } };
const shared = { id: userIdentity('shared'), principalId: OBJECT };
const other = { id: userIdentity('other'), principalId: OTHER_OBJECT };
const setWith = (...userAssigned: AttachedIdentity[]) => confirmedResource({ id: scaleSet('web'), userAssigned });
const siteWith = (...userAssigned: AttachedIdentity[]) => confirmedResource({ id: site('web'), userAssigned });

table('identity-attached: scale sets', [
  [
    'the system-assigned identity, not proven',
    set({ confirmed: confirmedResource({ id: scaleSet('web'), systemPrincipalId: OBJECT }) }),
    'passed',
  ],
  ['a user-assigned identity, proven', set({ confirmed: setWith(other, shared), ...ofTheMachine }), 'passed'],
  ['a user-assigned identity that was looked up', set({ ...ofTheMachine, users: [OBJECT] }), 'passed'],
  ['a user-assigned identity, not proven', set({ confirmed: setWith(shared) }), notItsSystemIdentity('scale set')],
  [
    'others’ identities, proven',
    set({ confirmed: setWith(other), ...ofTheMachine }),
    notAttached('scale set', OTHER_OBJECT),
  ],
]);

table('identity-attached: any resource', [
  [
    'the system-assigned identity',
    app({ confirmed: confirmedResource({ id: site('web'), systemPrincipalId: OBJECT }) }),
    'passed',
  ],
  ['a user-assigned identity, proven', app({ confirmed: siteWith(other, shared), ...web }), 'passed'],
  ['a user-assigned identity, not proven', app({ confirmed: siteWith(other, shared) }), 'passed'],
  [
    'a user-assigned identity that proves itself',
    app({ confirmed: siteWith(shared), claims: { managedIdentityId: userIdentity('SHARED').toUpperCase() } }),
    'passed',
  ],
  [
    'a user-assigned identity that proves to be another',
    app({ confirmed: siteWith(shared), claims: { managedIdentityId: userIdentity('other') } }),
    notAttached('resource'),
  ],
  [
    'a user-assigned identity that proves to be one of that name elsewhere',
    app({ confirmed: siteWith(shared), claims: { managedIdentityId: userIdentity('shared', 'rg-2') } }),
    notAttached('resource'),
  ],
  ['others’ identities', app({ confirmed: siteWith(other) }), notAttached('resource', OTHER_OBJECT)],
  ['none at all', app({ confirmed: siteWith() }), notAttached('resource')],
  [
    'identities without a principal (A7)',
    app({ confirmed: siteWith({ id: userIdentity('x') }), users: [''], claims: { objectId: '' } }),
    { ...notAttached('resource'), seen: '' },
  ],
  [
    'a machine by its id, not proven',
    {
      role,
      request: asResource(vm('web')),
      confirmed: confirmedResource({ userAssigned: [shared] }),
    },
    notItsSystemIdentity('resource'),
  ],
  [
    'a machine by its id, proven',
    {
      role,
      request: asResource(vm('web')),
      claims: fromWeb,
      confirmed: confirmedResource({ userAssigned: [shared] }),
    },
    'passed',
  ],
]);

table('identity-attached: workloads', [
  ['its identity', workload(), 'passed'],
  ['its identity, proven', workload({ claims: { managedIdentityId: userIdentity('OWN') } }), 'passed'],
  [
    'the identity of that client, where the token names another',
    workload({ claims: { managedIdentityId: userIdentity('other') } }),
    notAttached('bound resource groups'),
  ],
  [
    'the identity of that client, where the principal is another',
    workload({ claims: { objectId: OTHER_OBJECT } }),
    { ...notAttached('bound resource groups', OBJECT), seen: OTHER_OBJECT },
  ],
]);

const elsewhere = (seen: string, wanted = 'westeurope') =>
  refusal('the location is not in bound_locations of the role', seen, wanted);

table('location-bound', [
  ['no list', { role: { bound_resource_groups: ['rg'] }, confirmed: byNobody }, 'not needed'],
  ['the location', { role, confirmed: byNobody }, 'passed'],
  ['the location with blanks', { role, confirmed: confirmedResource({ location: 'West Europe' }) }, 'passed'],
  ['a list with blanks', { role: { bound_locations: ['East US', 'West Europe'] }, confirmed: byNobody }, 'passed'],
  ['another location', { role, confirmed: confirmedResource({ location: 'westeurope2' }) }, elsewhere('westeurope2')],
  ['no answer', { role }, elsewhere('')],
  [
    'an empty location is in no list',
    { role: { bound_locations: [''] }, confirmed: confirmedResource({ location: '' }) },
    elsewhere('', ''),
  ],
]);
