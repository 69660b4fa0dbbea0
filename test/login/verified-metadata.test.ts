import { describe, expect, test } from '@jest/globals';
import { verifiedMetadata } from '../../src/login/verified-metadata.js';
import {
  AS_WORKLOAD,
  asResource,
  asScaleSet,
  confirmedResource,
  factsOf,
  OTHER_SUBSCRIPTION,
  scaleSet,
  site,
  SUBSCRIPTION,
  userIdentity,
  vm,
} from './support.js';
import type { Login } from './support.js';

/** What the token or the cloud says is spelled like this; what the caller says is not. */
const place = { subscription_id: SUBSCRIPTION, resource_group_name: 'Rg' };
const elsewhere = { subscriptionId: OTHER_SUBSCRIPTION, resourceGroup: 'prod' };

/** Request fields that are wrong about everything but the name. */
const set = { ...elsewhere, ...asScaleSet('WEB') };
const machine = { ...elsewhere, vmName: 'WEB' };
const workload = { ...elsewhere, ...AS_WORKLOAD };

function by(id: string): Pick<Login, 'confirmed'> {
  return { confirmed: confirmedResource({ id }) };
}

function from(resourceId: string): Pick<Login, 'claims'> {
  return { claims: { resourceId } };
}

describe('metadata of a login', () => {
  test.each<[string, Login, object]>([
    ['vm_name, proven', { request: machine, ...from(vm('Web', 'Rg')) }, { ...place, vm_name: 'Web' }],
    ['vm_name, confirmed', { request: machine, ...by(vm('Web', 'Rg')) }, { ...place, vm_name: 'Web' }],
    ['vm_name, another proven', { request: machine, ...from(vm('Web2', 'Rg')) }, place],
    ['vm_name, a scale set proven', { request: machine, ...from(scaleSet('Web', 'Rg')) }, place],
    ['vmss_name, proven', { request: set, ...from(scaleSet('Web', 'Rg')) }, { ...place, vmss_name: 'Web' }],
    [
      'vmss_name, proven by an instance',
      { request: set, ...from(`${scaleSet('Web', 'Rg')}/virtualMachines/0`) },
      { ...place, vmss_name: 'Web' },
    ],
    ['vmss_name, confirmed', { request: set, ...by(scaleSet('Web', 'Rg')) }, { ...place, vmss_name: 'Web' }],
    [
      'vmss_name, proven by a machine of its own and confirmed',
      { request: set, ...from(vm('web_x1', 'RG')), ...by(scaleSet('Web', 'Rg')) },
      { ...place, vmss_name: 'Web' },
    ],
    ['vmss_name, a machine of that pattern proven', { request: set, ...from(vm('web_x1', 'Rg')) }, place],
    ['vmss_name, a machine of that name proven', { request: set, ...from(vm('Web', 'Rg')) }, place],
    ['vmss_name, another proven', { request: set, ...from(scaleSet('Web2', 'Rg')) }, place],
    [
      'vmss_name, an instance of that name proven',
      { request: set, ...from(`${scaleSet('x', 'Rg')}/virtualMachines/Web`) },
      place,
    ],
    [
      'vmss_name beside a vm_name that is ignored',
      { request: { ...set, vmName: 'web_x1' }, ...from(vm('web_x1', 'Rg')) },
      place,
    ],
    [
      'resource_id, proven',
      { request: asResource(site('WEB', 'RG')), ...from(site('Web', 'Rg')) },
      { ...place, resource_id: site('Web', 'Rg') },
    ],
    [
      'resource_id, confirmed',
      { request: asResource(site('WEB', 'RG')), ...by(site('Web', 'Rg')) },
      { ...place, resource_id: site('Web', 'Rg') },
    ],
    ['resource_id, another proven', { request: asResource(site('Web', 'other')), ...from(site('Web', 'Rg')) }, place],
    [
      'resource_id, a slot proven',
      { request: asResource(site('Web', 'Rg')), ...from(`${site('Web', 'Rg')}/slots/Web`) },
      place,
    ],
    [
      'resource_id of a machine, proven',
      { request: asResource(vm('WEB', 'RG')), ...from(vm('Web', 'Rg')) },
      { ...place, resource_id: vm('Web', 'Rg') },
    ],
    ['a workload, confirmed', { request: workload, ...by(userIdentity('own', 'Rg')) }, place],
    [
      'a workload on a machine: where its identity is',
      { request: workload, ...from(vm('web', 'other')), ...by(userIdentity('own', 'Rg')) },
      place,
    ],
    [
      'a workload on a machine that nobody confirms: where it runs',
      { request: workload, ...from(vm('web', 'Rg')) },
      place,
    ],
  ])('%s', (_, login, metadata) => {
    expect(verifiedMetadata(factsOf(login))).toEqual(metadata);
  });

  test.each<[string, Login]>([
    ['a machine', { request: machine }],
    ['a scale set', { request: set }],
    ['a resource', { request: asResource(site('web')) }],
    ['a workload', { request: workload }],
  ])('says nothing of %s that nobody verified (A9)', (_, { request = {} }) => {
    const unreadable = `${scaleSet('web')}/..`;
    for (const claims of [{}, { managedIdentityId: userIdentity('own') }, { resourceId: unreadable }]) {
      expect(verifiedMetadata(factsOf({ request, claims }))).toEqual({});
      expect(verifiedMetadata(factsOf({ request, claims, confirmed: confirmedResource({ id: unreadable }) }))).toEqual(
        {},
      );
    }
  });
});
