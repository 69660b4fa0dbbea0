import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  formatResourceId,
  isOfType,
  ownName,
  parseResourceId,
  sameResource,
  USER_ASSIGNED_IDENTITY,
  VIRTUAL_MACHINE,
} from '../../src/login/resource-id.js';
import { SUBSCRIPTION, userIdentity, vm } from './support.js';

const PREFIX = `/subscriptions/${SUBSCRIPTION}/resourceGroups/rg/providers`;

describe('a resource id', () => {
  test('is read into its segments, in their own spelling', () => {
    expect(parseResourceId(`${PREFIX}/Microsoft.Compute/virtualMachineScaleSets/Web/virtualMachines/0`)).toEqual({
      subscriptionId: SUBSCRIPTION,
      resourceGroup: 'rg',
      type: 'Microsoft.Compute/virtualMachineScaleSets/virtualMachines',
      names: ['Web', '0'],
    });
  });

  test.each([
    vm('web'),
    vm('web', 'Gruppe-(Ä)'),
    userIdentity('id'),
    `${PREFIX}/Microsoft.Web/sites/app`,
    `${PREFIX}/Microsoft.A.B2/types/name with blank`,
    `/SUBSCRIPTIONS/${SUBSCRIPTION.toUpperCase()}/RESOURCEGROUPS/RG/PROVIDERS/MICROSOFT.COMPUTE/VIRTUALMACHINES/WEB`,
  ])('can be %s', (id) => {
    expect(parseResourceId(id)).toBeDefined();
  });

  test.each([
    ['empty', ''],
    ['a slash', '/'],
    ['a URL', `https://management.azure.com${vm('web')}`],
    ['a subscription', `/subscriptions/${SUBSCRIPTION}`],
    ['a resource group', `/subscriptions/${SUBSCRIPTION}/resourceGroups/rg`],
    ['without a type', `${PREFIX}/Microsoft.Compute`],
    ['without a name', `${PREFIX}/Microsoft.Compute/virtualMachines`],
    ['with a type without its name', `${vm('web')}/extensions`],
    ['with a trailing slash', `${vm('web')}/`],
    ['without the leading slash', vm('web').slice(1)],
    ['with a doubled slash', `/${vm('web')}`],
    ['with an empty segment', `${PREFIX}//Microsoft.Compute/virtualMachines/web`],
    ['with an empty name', `${PREFIX}/Microsoft.Compute/virtualMachines//extensions/x`],
    ['of no subscription', vm('web', 'rg', 'mine')],
    ['of an empty subscription', vm('web', 'rg', '')],
    ['of an empty group', vm('web', '')],
    ['with blanks around', ` ${vm('web')} `],
    ['with a line break', `${vm('web')}\n`],
    ['with a namespace that is none', `${PREFIX}/Compute/virtualMachines/web`],
    ['with a Kelvin sign for a k', vm('web').replace('resourceGroups', 're\u017fourceGroups')],
    ['with other words', vm('web').replace('providers', 'provider')],
    ['too long', vm('x'.repeat(2048))],
  ])('is refused when it is %s', (_, id) => {
    expect(parseResourceId(id)).toBeUndefined();
  });

  test.each([
    '#',
    '?',
    '?api-version=1',
    '..',
    '.',
    '%2f',
    '%2F..%2F',
    '%00',
    '\\',
    '\0',
    '\n',
    '\u2028',
    '\u202e',
    ';'.repeat(300),
  ])('is refused with %j for a name, or in one (A5)', (trick) => {
    expect(parseResourceId(vm(trick))).toBeUndefined();
    expect(parseResourceId(vm('web', trick))).toBeUndefined();
    expect(parseResourceId(`${PREFIX}/Microsoft.Compute/${trick}/web`)).toBeUndefined();
    if (trick !== '.') expect(parseResourceId(vm(`we${trick}b`))).toBeUndefined();
  });

  test('cannot climb out of its subscription with dots (A5)', () => {
    expect(
      parseResourceId(`${vm('x')}/../../../../../resourceGroups/rg/providers/Microsoft.Web/sites/app`),
    ).toBeUndefined();
  });
});

describe('sameResource', () => {
  const same = (left: string, right: string): boolean => sameResource(parseResourceId(left)!, parseResourceId(right)!);

  test('ignores case', () => {
    expect(same(vm('web'), vm('WEB', 'RG', SUBSCRIPTION.toUpperCase()))).toBe(true);
  });

  test.each([
    ['name', vm('web2')],
    ['group', vm('web', 'rg2')],
    ['subscription', vm('web', 'rg', SUBSCRIPTION.replace('1a', '1c'))],
    ['type', vm('web').replace('virtualMachines', 'virtualMachineScaleSets')],
    ['namespace', vm('web').replace('Compute', 'ClassicCompute')],
    ['depth', `${vm('web')}/extensions/web`],
  ])('tells another %s', (_, id) => {
    expect(same(vm('web'), id)).toBe(false);
  });
});

test('types compare without case, and whole', () => {
  const machine = parseResourceId(vm('web').replace('virtualMachines', 'VIRTUALMACHINES'))!;
  expect(isOfType(machine, VIRTUAL_MACHINE)).toBe(true);
  expect(isOfType(parseResourceId(`${vm('web')}/extensions/x`)!, VIRTUAL_MACHINE)).toBe(false);
  expect(isOfType(parseResourceId(userIdentity('web'))!, USER_ASSIGNED_IDENTITY)).toBe(true);
});

test('the own name is the last of the chain', () => {
  expect(ownName(parseResourceId(`${vm('web')}/extensions/x`)!)).toBe('x');
});

describe('any text', () => {
  const segment = fc.oneof(
    fc.constantFrom(
      'subscriptions',
      SUBSCRIPTION,
      'resourceGroups',
      'rg',
      'providers',
      'Microsoft.Compute',
      'a',
      '..',
      '',
    ),
    fc.string({ unit: 'binary', maxLength: 4 }),
  );

  test('is a resource id or not, but never crashes; and what is one is written as it was read', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary' }),
          fc.array(segment).map((parts) => parts.join('/')),
        ),
        (text) => {
          const parsed = parseResourceId(text);
          if (parsed !== undefined) expect(parseResourceId(formatResourceId(parsed))).toEqual(parsed);
        },
      ),
    );
  });

  test('that names a resource survives being read and written', () => {
    const word = fc.stringMatching(/^[a-zA-Z][a-zA-Z0-9]{0,8}$/);
    const name = fc.stringMatching(/^[\p{L}\p{N}_.-]{0,8}[\p{L}\p{N}]$/u).filter((text) => !text.includes('..'));
    const resource = fc.record({
      subscriptionId: fc.uuid(),
      resourceGroup: name,
      types: fc.array(word, { minLength: 1, maxLength: 4 }),
      names: fc.array(name, { minLength: 4, maxLength: 4 }),
    });
    fc.assert(
      fc.property(resource, ({ subscriptionId, resourceGroup, types, names }) => {
        const type = ['Microsoft.Test', ...types].join('/');
        const id = { subscriptionId, resourceGroup, type, names: names.slice(0, types.length) };
        expect(parseResourceId(formatResourceId(id))).toEqual(id);
      }),
    );
  });
});
