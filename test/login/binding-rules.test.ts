import {
  APPLICATION,
  AS_WORKLOAD,
  asResource,
  asScaleSet,
  OTHER_SUBSCRIPTION,
  refusal,
  resource,
  scaleSet,
  site,
  SUBSCRIPTION,
  table,
  userIdentity,
  vm,
} from './support.js';
import type { Login, Row } from './support.js';

const role = { bound_locations: ['westeurope'] };
const from = (resourceId: string): { resourceId: string } => ({ resourceId });
const ofIdentity = { managedIdentityId: userIdentity('shared') };

table('token-resource-readable', [
  ['no resource constraints', { claims: from('nonsense') }, 'not needed'],
  ['a token that names none', { role }, 'not needed'],
  ['a token of a user-assigned identity', { role, claims: ofIdentity }, 'not needed'],
  ['a machine', { role, claims: from(vm('web')) }, 'passed'],
  ...['nonsense', '', vm('..'), `${vm('web')}?x`, `${vm('web')}/`].map((id): Row => [
    `the id ${JSON.stringify(id)}`,
    { role, claims: from(id) },
    refusal('the token names a resource that cannot be read', id, 'a resource id'),
  ]),
]);

/** A login of the scale set `web`. */
const set = (claims: Login['claims'] = {}): Login => ({ role, request: asScaleSet('web'), claims });
/** A login of the web app `web`. */
const app = (claims: Login['claims'] = {}): Login => ({ role, request: asResource(site('web')), claims });

const provesNoMachine = refusal(
  'the token is of a user-assigned identity and does not prove which machine it comes from',
  userIdentity('shared'),
  'a token that names the machine, or one of its system-assigned identity',
);

table('token-proves-a-machine', [
  ['no resource constraints', { claims: ofIdentity }, 'not needed'],
  ['neither claim', { role }, 'not needed'],
  ['a machine', { role, claims: from(vm('web')) }, 'not needed'],
  ['a machine beside the identity', { role, claims: { ...ofIdentity, ...from(vm('web')) } }, 'not needed'],
  ['only a user-assigned identity', { role, claims: ofIdentity }, provesNoMachine],
  ['only a user-assigned identity, for a scale set', set(ofIdentity), provesNoMachine],
  ['only a user-assigned identity, for no machine', app(ofIdentity), 'not needed'],
  ['only a user-assigned identity, for itself', { role, request: AS_WORKLOAD, claims: ofIdentity }, 'not needed'],
  ...[
    vm('web'),
    vm('web').toLowerCase(),
    scaleSet('web').toUpperCase().replace(SUBSCRIPTION.toUpperCase(), SUBSCRIPTION),
    `${scaleSet('web')}/virtualMachines/0`,
    `${vm('web')}/extensions/x`,
  ].map((id): Row => [
    `a machine by its id ${id}`,
    { role, request: asResource(id), claims: ofIdentity },
    provesNoMachine,
  ]),
]);

const notTheMachine = (seen: string, wanted = vm('web')) =>
  refusal('the token does not come from the virtual machine named by vm_name', seen, wanted);

table('token-proves-resource: a virtual machine', [
  ['no resource constraints', { claims: from(vm('other')) }, 'not needed'],
  ['a token that names none', { role }, 'not needed'],
  ['the machine', { role, claims: from(vm('web')) }, 'passed'],
  ['the machine in other case', { role, claims: from(vm('WEB')) }, 'passed'],
  ['the machine by xms_mirid', { role, claims: { managedIdentityId: vm('web') } }, 'passed'],
  ['another machine', { role, claims: from(vm('web-2')) }, notTheMachine(vm('web-2'))],
  ['a name that the machine’s begins with', { role, claims: from(vm('we')) }, notTheMachine(vm('we'))],
  [
    'something else of that name',
    { role, claims: from(vm('web').replace('virtualMachines', 'disks')) },
    notTheMachine(vm('web').replace('virtualMachines', 'disks')),
  ],
  [
    'something of that name below a machine',
    { role, claims: from(`${vm('other')}/extensions/web`) },
    notTheMachine(`${vm('other')}/extensions/web`),
  ],
  [
    'something below the machine',
    { role, claims: from(`${vm('web')}/extensions/x`) },
    notTheMachine(`${vm('web')}/extensions/x`),
  ],
  [
    'a user-assigned identity of that name in xms_az_rid',
    { role, claims: from(userIdentity('web')) },
    notTheMachine(userIdentity('web').replace('resourcegroups', 'resourceGroups')),
  ],
]);

const notTheSet = (seen: string): Row[2] =>
  refusal('the token does not come from the scale set named by vmss_name', seen, scaleSet('web'));
const ofTheSet = (id: string): Row => [id, set(from(id)), 'passed'];
const notOfTheSet = (id: string): Row => [id, set(from(id)), notTheSet(id)];

table('token-proves-resource: a scale set', [
  ['no resource constraints', { request: asScaleSet('web'), claims: from(vm('other')) }, 'not needed'],
  ['a token that names none', set(), 'not needed'],
  ['the scale set by xms_mirid', set({ managedIdentityId: scaleSet('web') }), 'passed'],
  ofTheSet(scaleSet('web')),
  ofTheSet(scaleSet('WEB')),
  ofTheSet(`${scaleSet('web')}/virtualMachines/0`),
  ofTheSet(`${scaleSet('Web')}/virtualMachines/web_1`),
  ofTheSet(vm('web_x1')),
  ofTheSet(vm('WEB_0aF9')),
  ofTheSet(vm('web_0')),
  notOfTheSet(scaleSet('web-2')),
  notOfTheSet(scaleSet('we')),
  notOfTheSet(`${scaleSet('other')}/virtualMachines/web`),
  notOfTheSet(`${scaleSet('other')}/virtualMachines/web_0`),
  notOfTheSet(`${scaleSet('web')}/extensions/x`),
  notOfTheSet(`${scaleSet('web')}/virtualMachines/0/extensions/x`),
  notOfTheSet(vm('web')),
  notOfTheSet(vm('web_')),
  notOfTheSet(vm('webx1')),
  notOfTheSet(vm('web2_x1')),
  notOfTheSet(vm('we_x1')),
  notOfTheSet(vm('my-web_x1')),
  notOfTheSet(vm('web_prod_x1')),
  notOfTheSet(vm('web_x-1')),
  notOfTheSet(vm('web_x.1')),
  notOfTheSet(vm('web__1')),
  notOfTheSet(vm('web_é1')),
  notOfTheSet(vm('web_\u0661')),
  notOfTheSet(vm('we\u1d2e_x1')),
  notOfTheSet(`${vm('web_x1')}/extensions/x`),
  notOfTheSet(resource('Microsoft.Compute/disks', 'web_x1')),
  notOfTheSet(resource('Microsoft.ClassicCompute/virtualMachines', 'web_x1')),
]);

const notTheApp = (id: string): Row => [
  id,
  app(from(id)),
  refusal('the token does not come from the resource named by resource_id', id, site('web')),
];

table('token-proves-resource: any resource', [
  ['no resource constraints', { request: asResource(site('web')), claims: from(vm('other')) }, 'not needed'],
  ['a token that names none', app(), 'not needed'],
  ['a token that names an identity only', app(ofIdentity), 'not needed'],
  ['the resource', app(from(site('web'))), 'passed'],
  ['the resource in capitals', app(from(site('WEB').replace('Microsoft.Web/sites', 'MICROSOFT.WEB/SITES'))), 'passed'],
  ['the resource by xms_mirid', app({ managedIdentityId: site('web') }), 'passed'],
  ['the group is the business of another rule', app(from(site('web', 'rg-2'))), 'passed'],
  [
    'a resource below another',
    {
      role,
      request: asResource(`${site('web')}/slots/blue`),
      claims: from(`${site('Web')}/slots/Blue`),
    },
    'passed',
  ],
  notTheApp(site('web-2')),
  notTheApp(site('we')),
  notTheApp(`${site('web')}/slots/web`),
  notTheApp(`${site('other')}/slots/web`),
  notTheApp(vm('web')),
  notTheApp(resource('Microsoft.Web.Sites/sites', 'web')),
  [
    'a slot of that name of another',
    { role, request: asResource(`${site('web')}/slots/blue`), claims: from(`${site('other')}/slots/blue`) },
    refusal(
      'the token does not come from the resource named by resource_id',
      `${site('other')}/slots/blue`,
      `${site('web')}/slots/blue`,
    ),
  ],
  [
    'an instance of a named scale set counts by vmss_name only',
    { role, request: asResource(scaleSet('web')), claims: from(vm('web_x1')) },
    refusal('the token does not come from the resource named by resource_id', vm('web_x1'), scaleSet('web')),
  ],
]);

table('token-proves-resource: a workload', [
  ['wherever it runs', { role, request: AS_WORKLOAD, claims: from(vm('other')) }, 'not needed'],
]);

table('token-proves-subscription', [
  ['no resource constraints', { claims: from(vm('web', 'rg', OTHER_SUBSCRIPTION)) }, 'not needed'],
  ['a token that names none', { role }, 'not needed'],
  ['the subscription', { role, claims: from(vm('web')) }, 'passed'],
  ['the subscription in capitals', { role, claims: from(vm('web', 'rg', SUBSCRIPTION.toUpperCase())) }, 'passed'],
  [
    'another subscription',
    { role, claims: from(vm('web', 'rg', OTHER_SUBSCRIPTION)) },
    refusal('the token does not come from the subscription named by subscription_id', OTHER_SUBSCRIPTION, SUBSCRIPTION),
  ],
  [
    'a workload, wherever it runs',
    { role, request: AS_WORKLOAD, claims: from(vm('web', 'rg', OTHER_SUBSCRIPTION)) },
    'not needed',
  ],
  ...[vm('web_x1', 'rg', OTHER_SUBSCRIPTION), scaleSet('web', 'rg', OTHER_SUBSCRIPTION)].map((id): Row => [
    `a scale set of another subscription: ${id}`,
    set(from(id)),
    refusal('the token does not come from the subscription named by subscription_id', OTHER_SUBSCRIPTION, SUBSCRIPTION),
  ]),
]);

const notTheGroup = (seen: string) =>
  refusal('the token does not come from the resource group named by resource_group_name', seen, 'rg');

table('token-proves-resource-group', [
  ['no resource constraints', { claims: from(vm('web', 'rg-evil')) }, 'not needed'],
  ['a token that names none', { role }, 'not needed'],
  ['the group', { role, claims: from(vm('web')) }, 'passed'],
  ['the group in capitals', { role, claims: from(vm('web', 'RG')) }, 'passed'],
  ['a longer group', { role, claims: from(vm('web', 'rg-evil')) }, notTheGroup('rg-evil')],
  ['a shorter group', { role, claims: from(vm('web', 'r')) }, notTheGroup('r')],
  ['a workload, wherever it runs', { role, request: AS_WORKLOAD, claims: from(vm('web', 'rg-evil')) }, 'not needed'],
  ['an instance in another group', set(from(vm('web_x1', 'rg-evil'))), notTheGroup('rg-evil')],
  ['a web app in another group', app(from(site('web', 'rg-evil'))), notTheGroup('rg-evil')],
]);

const noApplication = refusal(
  'the token names no application, so the identity of the workload cannot be found',
  'neither appid nor azp',
  'appid or azp',
);

table('token-names-application', [
  ['no resource constraints', { request: AS_WORKLOAD }, 'not needed'],
  ['a machine', { role }, 'not needed'],
  ['a scale set', set(), 'not needed'],
  ['any resource', app(), 'not needed'],
  ['a workload', { role, request: AS_WORKLOAD, claims: { applicationId: APPLICATION } }, 'passed'],
  ['a workload without application', { role, request: AS_WORKLOAD }, noApplication],
  ['a workload with an empty one', { role, request: AS_WORKLOAD, claims: { applicationId: '' } }, noApplication],
]);

table('subscription-bound', [
  ['no list', { role }, 'not needed'],
  [
    'the subscription',
    { role: { bound_subscription_ids: [OTHER_SUBSCRIPTION, SUBSCRIPTION.toUpperCase()] } },
    'passed',
  ],
  [
    'another one',
    { role: { bound_subscription_ids: [OTHER_SUBSCRIPTION] } },
    refusal('the subscription is not in bound_subscription_ids of the role', SUBSCRIPTION, OTHER_SUBSCRIPTION),
  ],
  [
    'a workload that names another one',
    { role: { bound_subscription_ids: [OTHER_SUBSCRIPTION] }, request: AS_WORKLOAD },
    refusal('the subscription is not in bound_subscription_ids of the role', SUBSCRIPTION, OTHER_SUBSCRIPTION),
  ],
  [
    'a workload that names none: those bound are searched',
    { role: { bound_subscription_ids: [OTHER_SUBSCRIPTION] }, request: { ...AS_WORKLOAD, subscriptionId: '' } },
    'not needed',
  ],
]);

const groupNotBound = (seen: string, wanted: string) =>
  refusal('the resource group is not in bound_resource_groups of the role', seen, wanted);

table('resource-group-bound', [
  ['no list', { role }, 'not needed'],
  ['the group', { role: { bound_resource_groups: ['other', 'RG'] } }, 'passed'],
  ['another one', { role: { bound_resource_groups: ['rg-2', 'r'] } }, groupNotBound('rg', 'rg-2, r')],
  ['a star is no wildcard', { role: { bound_resource_groups: ['*'] } }, groupNotBound('rg', '*')],
  [
    'an empty name is in no list',
    { role: { bound_resource_groups: [''] }, request: { resourceGroup: '' } },
    groupNotBound('', ''),
  ],
  [
    'a workload that names another one (A6)',
    { role: { bound_resource_groups: ['rg-2'] }, request: AS_WORKLOAD },
    groupNotBound('rg', 'rg-2'),
  ],
  [
    'a workload that names none: those bound are searched',
    { role: { bound_resource_groups: ['rg-2'] }, request: { ...AS_WORKLOAD, resourceGroup: '' } },
    'not needed',
  ],
]);

const scaleSetNotBound = (wanted: string, seen = '') =>
  refusal('the scale set is not in bound_scale_sets of the role', seen, wanted);

table('scale-set-bound', [
  ['no list', { role }, 'not needed'],
  ['the scale set', { role: { bound_scale_sets: ['Set'] }, request: { scaleSetName: 'set' } }, 'passed'],
  ['a virtual machine belongs to none', { role: { bound_scale_sets: ['web'] } }, scaleSetNotBound('web')],
  ['not even where an empty name is listed', { role: { bound_scale_sets: [''] } }, scaleSetNotBound('')],
  ...['web2', 'we', 'web_x1'].map((name): Row => [
    `the scale set ${name} is not web`,
    { role: { bound_scale_sets: ['web'] }, request: asScaleSet(name) },
    scaleSetNotBound('web', name),
  ]),
  [
    'the id of a scale set is no vmss_name',
    { role: { bound_scale_sets: ['web'] }, request: asResource(scaleSet('web')) },
    scaleSetNotBound('web'),
  ],
  [
    'a workload belongs to none',
    { role: { bound_scale_sets: ['web'] }, request: AS_WORKLOAD, claims: from(vm('web_x1')) },
    scaleSetNotBound('web'),
  ],
]);
