import { describe, expect, test } from '@jest/globals';
import type { AttachedIdentity, ConfirmedResource, IdentityClaims, ListedIdentity } from '../../src/contract/index.js';
import { identitiesToResolve, workloadIdentity } from '../../src/login/cloud-rules.js';
import {
  APPLICATION,
  asResource,
  asScaleSet,
  confirmedResource,
  factsOf,
  OBJECT,
  OTHER_OBJECT,
  scaleSet,
  site,
  userIdentity,
  vm,
} from './support.js';
import type { Login } from './support.js';

describe('identities to resolve', () => {
  const unknown: AttachedIdentity = { id: userIdentity('unknown') };
  const unknown2: AttachedIdentity = { id: userIdentity('unknown-2') };
  const known: AttachedIdentity = { id: userIdentity('known'), principalId: OTHER_OBJECT };
  const own: AttachedIdentity = { ...known, principalId: OBJECT };

  function ask(changes: Partial<ConfirmedResource>, login: Login): readonly AttachedIdentity[] {
    const confirmed = confirmedResource(changes);
    const role = { bound_locations: ['westeurope'] };
    return identitiesToResolve(confirmed, factsOf({ role, ...login, confirmed }));
  }

  const byMachine = { claims: { resourceId: vm('web') } };
  const byScaleSet = { request: asScaleSet('web'), claims: { resourceId: vm('web_x1') } };
  const bySite = { request: asResource(site('web')) };
  const ofUnknown = { managedIdentityId: userIdentity('UNKNOWN') };

  test.each<[string, Login]>([
    ['a machine', byMachine],
    ['a scale set by its machine', byScaleSet],
    ['a resource', { ...bySite, claims: { resourceId: site('web') } }],
    ['a resource that is not proven', bySite],
  ])('are those without a principal, when nothing else decides: %s', (_, login) => {
    expect(ask({ userAssigned: [known, unknown, unknown2] }, login)).toEqual([unknown, unknown2]);
  });

  test('are but the one that the token says that it is of', () => {
    expect(ask({ userAssigned: [known, unknown2, unknown] }, { ...bySite, claims: ofUnknown })).toEqual([unknown]);
  });

  test.each<[string, Partial<ConfirmedResource>, Login]>([
    ['the system-assigned identity decides', { systemPrincipalId: OBJECT, userAssigned: [unknown] }, byMachine],
    ['another identity decides', { userAssigned: [unknown, own] }, byMachine],
    ['all are known', { userAssigned: [known] }, byMachine],
    ['the token does not prove the machine', { userAssigned: [unknown] }, {}],
    ['the token does not prove the scale set', { userAssigned: [unknown] }, { request: asScaleSet('web') }],
    [
      'the token proves no machine that resource_id names',
      { userAssigned: [unknown] },
      { request: asResource(scaleSet('web')) },
    ],
    [
      'the token says that it is of another one',
      { userAssigned: [unknown] },
      { ...bySite, claims: { managedIdentityId: userIdentity('elsewhere') } },
    ],
  ])('are none when %s', (_, changes, login) => {
    expect(ask(changes, login)).toEqual([]);
  });
});

describe('the identity of a workload', () => {
  const place = { id: userIdentity('own'), location: 'West Europe' };
  const clientId = APPLICATION.toUpperCase();
  const principalId = OBJECT.toUpperCase();
  const own: ListedIdentity = { ...place, clientId, principalId };
  const find = (identities: readonly ListedIdentity[], claims: Partial<IdentityClaims> = {}) =>
    workloadIdentity(identities, factsOf({ claims: { applicationId: APPLICATION, ...claims } }).claims);

  test('is the one with its client id and its principal, in the cloud’s spelling', () => {
    const others = [
      { ...own, id: userIdentity('a'), clientId: OTHER_OBJECT },
      { ...own, id: userIdentity('b'), principalId: OTHER_OBJECT },
    ];
    expect(find([...others, own])).toEqual({
      id: own.id,
      location: 'West Europe',
      userAssigned: [{ id: own.id, principalId }],
    });
  });

  test.each<[string, ListedIdentity, Partial<IdentityClaims>]>([
    ['another client id', { ...own, clientId: OTHER_OBJECT }, {}],
    ['another principal', { ...own, principalId: OTHER_OBJECT }, {}],
    ['both swapped', { ...own, clientId: OBJECT, principalId: APPLICATION }, {}],
    ['no client id', { ...place, principalId }, {}],
    ['no client id, the token naming no application (A7)', { ...own, clientId: '' }, { applicationId: '' }],
    ['no principal', { ...place, clientId }, {}],
    ['no principal, the token naming an empty one (A7)', { ...place, clientId }, { objectId: '' }],
    ['an empty principal (A7)', { ...own, principalId: '' }, { objectId: '' }],
    ['a client id that begins like it', { ...own, clientId: APPLICATION.slice(0, -1) }, {}],
  ])('is not one with %s', (_, identity, claims) => {
    expect(find([identity], claims)).toBeUndefined();
  });

  test('is none when none is listed', () => {
    expect(find([])).toBeUndefined();
  });
});
