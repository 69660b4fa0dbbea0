import { describe, expect, test } from '@jest/globals';
import { confirmedResource } from '../../src/cloud/confirmed-resource.js';

const BASE = { id: '/subscriptions/S/x', location: 'westeurope' };

describe('a resource as the cloud describes it', () => {
  test.each([undefined, null, {}, { userAssignedIdentities: null }])('may have the identity %j: none', (identity) => {
    expect(confirmedResource({ ...BASE, identity })).toEqual({ ...BASE, userAssigned: [] });
  });

  test('keeps spelling, system identity and attached identities', () => {
    const identity = {
      principalId: 'P',
      userAssignedIdentities: { '/Subscriptions/A': { principalId: 'Q' }, '/subscriptions/b': {} },
    };
    expect(confirmedResource({ ...BASE, identity })).toEqual({
      ...BASE,
      systemPrincipalId: 'P',
      userAssigned: [{ id: '/Subscriptions/A', principalId: 'Q' }, { id: '/subscriptions/b' }],
    });
  });

  test.each(['', null, undefined, 0, 7, [], {}, ['P']])('never has the principal id %j', (principalId) => {
    const identity = { principalId, userAssignedIdentities: { a: { principalId } } };
    expect(confirmedResource({ ...BASE, identity })).toEqual({ ...BASE, userAssigned: [{ id: 'a' }] });
  });

  test.each([null, 'text', 7, []])('takes an attached identity that is %j for one without principal id', (attached) => {
    const identity = { userAssignedIdentities: { a: attached } };
    expect(confirmedResource({ ...BASE, identity }).userAssigned).toEqual([{ id: 'a' }]);
  });

  test('is not confused by names of the language', () => {
    const identity = JSON.parse('{"userAssignedIdentities":{"__proto__":{"principalId":"P"}}}') as unknown;
    const resource = confirmedResource({ ...BASE, identity });
    expect(resource.userAssigned).toEqual([{ id: '__proto__', principalId: 'P' }]);
    expect(resource.systemPrincipalId).toBeUndefined();
  });

  test.each([
    ['nothing', undefined],
    ['null', null],
    ['a text', 'garbage'],
    ['a list', [BASE]],
    ['no id', { location: 'x' }],
    ['an empty id', { ...BASE, id: '' }],
    ['a number as id', { ...BASE, id: 7 }],
    ['no location', { id: 'x' }],
    ['a list as location', { ...BASE, location: ['westeurope'] }],
    ['a text as identity', { ...BASE, identity: 'P' }],
    ['a list as attached identities', { ...BASE, identity: { userAssignedIdentities: ['a'] } }],
    ['a text as attached identities', { ...BASE, identity: { userAssignedIdentities: 'a' } }],
  ])('is refused when it is or has %s', (_, value) => {
    expect(() => confirmedResource(value)).toThrow();
  });
});
