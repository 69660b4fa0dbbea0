import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { COMPUTE_NAME, GUID, RESOURCE_GROUP_NAME } from '../../src/login/names.js';

/** What no name may hold, wherever it stands (A5). */
const TRICKS = [
  '/',
  '\\',
  '?',
  '#',
  '%',
  '%2f',
  '&',
  ';',
  ':',
  '@',
  ' ',
  '\t',
  '\n',
  '\r',
  '\0',
  '\u007f',
  '\u0085',
  '\u2028',
  '\u200b',
  '\u202e',
  '\ufeff',
  '\ud800',
  '..',
  '*',
  "'",
  '"',
  '<',
  '$',
  '{',
];

describe.each([
  ['resource group', RESOURCE_GROUP_NAME, 90],
  ['virtual machine or scale set', COMPUTE_NAME, 80],
])('the name of a %s', (_, { pattern }, longest) => {
  test.each(['a', '0', '0web', 'web-01', 'web_01', 'web.01', 'Ünïcode', '生産', '١٢', 'constructor'])(
    'may be %s',
    (name) => {
      expect(pattern.test(name)).toBe(true);
    },
  );

  test('may be as long as the cloud allows and no longer', () => {
    expect(pattern.test('x'.repeat(longest))).toBe(true);
    expect(pattern.test('x'.repeat(longest + 1))).toBe(false);
  });

  test.each(TRICKS)('may not hold %j', (trick) => {
    for (const name of [trick, `a${trick}b`, `${trick}a`, `a${trick}`]) expect(pattern.test(name)).toBe(false);
  });

  test.each(['', '.', 'web.', 'a\u0308'])('may not be %j', (name) => {
    expect(pattern.test(name)).toBe(false);
  });

  test('is one path segment that a URL leaves as it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1, maxLength: 6 }), (name) => {
        fc.pre(pattern.test(name));
        const url = new URL(`https://cloud.example/before/${name}/after?x#y`);
        expect(decodeURIComponent(url.pathname)).toBe(`/before/${name}/after`);
      }),
    );
  });
});

test.each(['(prod)', 'prod-', '_', '-', '.hidden', 'rg(1)_ü.x-'])('a resource group may be called %s', (name) => {
  expect(RESOURCE_GROUP_NAME.pattern.test(name)).toBe(true);
});

test.each(['(prod)', '-web', '_web', '.web', 'web-'])('a machine may not be called %s', (name) => {
  expect(COMPUTE_NAME.pattern.test(name)).toBe(false);
});

test.each<[string, boolean]>([
  ['11111111-2222-3333-4444-55555555aAbB', true],
  ['11111111-2222-3333-4444-5555555555555', false],
  ['1111111-2222-3333-4444-555555555555', false],
  ['11111111222233334444555555555555', false],
  ['{11111111-2222-3333-4444-555555555555}', false],
  ['g1111111-2222-3333-4444-555555555555', false],
  ['11111111-2222-3333-4444-555555555555\n', false],
  ['\u0661\u0661111111-2222-3333-4444-555555555555', false],
  ['', false],
])('%j is a GUID: %p', (text, is) => {
  expect(GUID.pattern.test(text)).toBe(is);
});
