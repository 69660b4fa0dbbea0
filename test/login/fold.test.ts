import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { fold, foldLocation, sameName } from '../../src/login/fold.js';

describe('fold', () => {
  test.each([
    ['', ''],
    ['WEB-01_a.B(c)', 'web-01_a.b(c)'],
    ['ÄÖÜ', 'äöü'],
    ['Gruppe-Ä', 'gruppe-ä'],
    ['ПРОД', 'прод'],
    ['ΣΑΣ', 'σασ'],
    ['生産', '生産'],
    ['𐐀', '𐐨'],
  ])('%s is %s', (text, folded) => {
    expect(fold(text)).toBe(folded);
  });

  test.each([
    ['the Kelvin sign', '\u212a', 'k'],
    ['the dotted capital I', '\u0130', 'i'],
    ['the dotted capital I', '\u0130', 'i\u0307'],
    ['the dotless small i', '\u0131', 'i'],
    ['the long s', '\u017f', 's'],
    ['the sharp s', 'ß', 'ss'],
    ['the capital sharp s', 'ẞ', 'ss'],
    ['the capital sharp s', 'ẞ', 'ß'],
    ['the Angstrom sign', '\u212b', 'å'],
    ['the Ohm sign', '\u2126', 'ω'],
    ['the micro sign', 'µ', 'μ'],
    ['the ff ligature', 'ﬀ', 'ff'],
    ['the final sigma', 'ς', 'σ'],
    ['the title-case dz', 'ǅ', 'ǆ'],
    ['a full-width letter', 'Ｋ', 'k'],
    ['a Cyrillic look-alike', 'а', 'a'],
    ['a decomposed letter', 'a\u0308', 'ä'],
    ['a zero-width joiner', 'we\u200db', 'web'],
  ])('%s passes for nothing else', (_, sign, alike) => {
    expect(sameName(sign, alike)).toBe(false);
    expect(sameName(`rg-${sign}-PROD`, `rg-${alike}-prod`)).toBe(false);
  });

  test('is the same for a name in any company: no letter changes with its neighbours', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (left, right) => {
        expect(fold(left + right)).toBe(fold(left) + fold(right));
      }),
    );
  });

  test('folds what is folded to itself, and never to another script', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const folded = fold(text);
        expect(fold(folded)).toBe(folded);
        expect(Array.from(folded)).toHaveLength(Array.from(text).length);
        const plain = (of: string): string => of.replace(/[^\x20-\x7e]/g, '').toLowerCase();
        expect(plain(folded)).toBe(plain(text));
      }),
    );
  });
});

test.each([
  ['East US', 'eastus', true],
  ['EASTUS', 'eastus', true],
  [' West  Europe ', 'westeurope', true],
  ['East US 2', 'eastus', false],
  ['East\u00a0US', 'eastus', false],
  ['east-us', 'eastus', false],
])('the locations %j and %j are the same: %p', (left, right, same) => {
  expect(foldLocation(left) === foldLocation(right)).toBe(same);
});
