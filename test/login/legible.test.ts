import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { legible } from '../../src/login/legible.js';
import { runs } from './seeded.js';

test.each([
  ['', ''],
  ['/subscriptions/a/resourceGroups/Größe_(1)', '/subscriptions/a/resourceGroups/Größe_(1)'],
  ['two words', 'two words'],
  ['a\nb\r\0c', 'a\\u{a}b\\u{d}\\u{0}c'],
  ['\u001b[31mred\u009b', '\\u{1b}[31mred\\u{9b}'],
  ['\u202eevil\u2066', '\\u{202e}evil\\u{2066}'],
  ['zero\u200bwidth\ufeff', 'zero\\u{200b}width\\u{feff}'],
  ['line\u2028paragraph\u2029', 'line\\u{2028}paragraph\\u{2029}'],
  ['half \ud800', 'half \\u{d800}'],
])('%j is shown as %j', (text, shown) => {
  expect(legible(text)).toBe(shown);
});

test('a long value is cut, and says by how much', () => {
  expect(legible('x'.repeat(512))).toBe('x'.repeat(512));
  expect(legible('x'.repeat(600))).toBe(`${'x'.repeat(512)}... (88 more characters)`);
});

test('nothing that a terminal obeys is shown, and no more than a bounded length', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 2_000 }), (text) => {
      const shown = legible(text);
      expect(shown).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
      expect(shown.length).toBeLessThan(512 * 10 + 40);
    }),
    runs(200),
  );
});
