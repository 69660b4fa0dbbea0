import { describe, expect, test } from '@jest/globals';
import {
  resourceGroupIsBound,
  resourceIsNamed,
  scaleSetIsBound,
  subscriptionIsBound,
  tokenProvesAMachine,
  tokenProvesResourceGroup,
  tokenProvesSubscription,
  tokenProvesVirtualMachine,
  tokenResourceIsReadable,
} from '../../src/login/binding-rules.js';
import type { TokenFacts } from '../../src/login/facts.js';
import type { Verdict } from '../../src/login/rule.js';
import { factsOf, OTHER_SUBSCRIPTION, refusal, SUBSCRIPTION, userIdentity, vm } from './support.js';
import type { Row } from './support.js';

const role = { bound_locations: ['westeurope'] };
const from = (resourceId: string): { resourceId: string } => ({ resourceId });
const ofIdentity = { managedIdentityId: userIdentity('shared') };

function table(name: string, rule: (facts: TokenFacts) => Verdict, rows: Row[]): void {
  describe(name, () => {
    test.each<Row>(rows)('%s', (_, login, verdict) => {
      expect(rule(factsOf(login))).toEqual(verdict);
    });
  });
}

const missing = (field: string) =>
  refusal(`${field}: is required by the constraints of the role`, 'nothing', field, field);

table('resource-named', resourceIsNamed, [
  ['no resource constraints', { request: { subscriptionId: '', resourceGroup: '', vmName: '' } }, 'not needed'],
  ['only principals bound', { role: { bound_group_ids: ['g'] }, request: { vmName: '' } }, 'not needed'],
  ['everything named', { role }, 'passed'],
  ['a resource id beside the machine is ignored', { role, request: { resourceId: 'anything' } }, 'passed'],
  ['no subscription', { role, request: { subscriptionId: '' } }, missing('subscription_id')],
  ['no resource group', { role, request: { resourceGroup: '' } }, missing('resource_group_name')],
  ['no machine', { role, request: { vmName: '' } }, missing('vm_name')],
]);

table('token-resource-readable', tokenResourceIsReadable, [
  ['no resource constraints', { claims: from('nonsense') }, 'not needed'],
  ['a token that names none', { role }, 'not needed'],
  ['a token of a user-assigned identity', { role, claims: ofIdentity }, 'not needed'],
  ['a machine', { role, claims: from(vm('web')) }, 'passed'],
  ...['nonsense', '', vm('..'), `${vm('web')}?x`, `${vm('web')}/`].map((id): Row => [
    `the id ${JSON.stringify(id)}`,
    { role, claims: from(id) },
    refusal('the token names a resource that cannot be read', 'an unreadable id', 'a resource id'),
  ]),
]);

table('token-proves-a-machine', tokenProvesAMachine, [
  ['no resource constraints', { claims: ofIdentity }, 'not needed'],
  ['neither claim', { role }, 'not needed'],
  ['a machine', { role, claims: from(vm('web')) }, 'not needed'],
  ['a machine beside the identity', { role, claims: { ...ofIdentity, ...from(vm('web')) } }, 'not needed'],
  [
    'only a user-assigned identity',
    { role, claims: ofIdentity },
    refusal(
      'the token is of a user-assigned identity and does not prove which machine it comes from',
      userIdentity('shared'),
      'a token that names the machine, or one of its system-assigned identity',
    ),
  ],
]);

const notTheMachine = (seen: string, wanted = 'web') =>
  refusal('the token does not come from the virtual machine named by vm_name', seen, wanted);

table('token-proves-virtual-machine', tokenProvesVirtualMachine, [
  ['no resource constraints', { claims: from(vm('other')) }, 'not needed'],
  ['a token that names none', { role }, 'not needed'],
  ['the machine', { role, claims: from(vm('web')) }, 'passed'],
  ['the machine in other case', { role, claims: from(vm('WEB')) }, 'passed'],
  ['the machine by xms_mirid', { role, claims: { managedIdentityId: vm('web') } }, 'passed'],
  ['another machine', { role, claims: from(vm('web-2')) }, notTheMachine(vm('web-2'))],
  ['a name that the machine’s begins with', { role, claims: from(vm('we')) }, notTheMachine(vm('we'))],
  ['an empty name', { role, request: { vmName: '' }, claims: from(vm('web')) }, notTheMachine(vm('web'), '')],
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

table('token-proves-subscription', tokenProvesSubscription, [
  ['no resource constraints', { claims: from(vm('web', 'rg', OTHER_SUBSCRIPTION)) }, 'not needed'],
  ['a token that names none', { role }, 'not needed'],
  ['the subscription', { role, claims: from(vm('web')) }, 'passed'],
  ['the subscription in capitals', { role, claims: from(vm('web', 'rg', SUBSCRIPTION.toUpperCase())) }, 'passed'],
  [
    'another subscription',
    { role, claims: from(vm('web', 'rg', OTHER_SUBSCRIPTION)) },
    refusal(
      'the token does not come from the subscription named by subscription_id',
      vm('web', 'rg', OTHER_SUBSCRIPTION),
      SUBSCRIPTION,
    ),
  ],
]);

const notTheGroup = (seen: string) =>
  refusal('the token does not come from the resource group named by resource_group_name', seen, 'rg');

table('token-proves-resource-group', tokenProvesResourceGroup, [
  ['no resource constraints', { claims: from(vm('web', 'rg-evil')) }, 'not needed'],
  ['a token that names none', { role }, 'not needed'],
  ['the group', { role, claims: from(vm('web')) }, 'passed'],
  ['the group in capitals', { role, claims: from(vm('web', 'RG')) }, 'passed'],
  ['a longer group', { role, claims: from(vm('web', 'rg-evil')) }, notTheGroup(vm('web', 'rg-evil'))],
  ['a shorter group', { role, claims: from(vm('web', 'r')) }, notTheGroup(vm('web', 'r'))],
]);

table('subscription-bound', subscriptionIsBound, [
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
]);

const groupNotBound = (seen: string, wanted: string) =>
  refusal('the resource group is not in bound_resource_groups of the role', seen, wanted);

table('resource-group-bound', resourceGroupIsBound, [
  ['no list', { role }, 'not needed'],
  ['the group', { role: { bound_resource_groups: ['other', 'RG'] } }, 'passed'],
  ['another one', { role: { bound_resource_groups: ['rg-2', 'r'] } }, groupNotBound('rg', 'rg-2, r')],
  ['a star is no wildcard', { role: { bound_resource_groups: ['*'] } }, groupNotBound('rg', '*')],
  [
    'an empty name is in no list',
    { role: { bound_resource_groups: [''] }, request: { resourceGroup: '' } },
    groupNotBound('none', ''),
  ],
]);

const scaleSetNotBound = (wanted: string) =>
  refusal('the scale set is not in bound_scale_sets of the role', 'none', wanted);

table('scale-set-bound', scaleSetIsBound, [
  ['no list', { role }, 'not needed'],
  ['the scale set', { role: { bound_scale_sets: ['Set'] }, request: { scaleSetName: 'set' } }, 'passed'],
  ['a virtual machine belongs to none', { role: { bound_scale_sets: ['web'] } }, scaleSetNotBound('web')],
  ['not even where an empty name is listed', { role: { bound_scale_sets: [''] } }, scaleSetNotBound('')],
]);
