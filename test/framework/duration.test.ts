import { expect, test } from '@jest/globals';
import { formatDuration, MAX_DURATION, parseDuration } from '../../src/framework/duration.js';

test.each<[unknown, number | undefined]>([
  [0, 0],
  [90, 90],
  [MAX_DURATION, MAX_DURATION],
  [MAX_DURATION + 1, undefined],
  [1e300, undefined],
  [-1, undefined],
  [1.5, undefined],
  [Number.NaN, undefined],
  [Number.POSITIVE_INFINITY, undefined],
  ['', 0],
  ['0', 0],
  ['90', 90],
  [' 90s ', 90],
  ['90s', 90],
  ['1m30s', 90],
  ['1h30m', 5_400],
  ['1d', 86_400],
  ['1500ms', 1.5],
  ['1s500ms', 1.5],
  ['10m', 600],
  ['10ms', 0.01],
  ['9223372036s', MAX_DURATION],
  ['9223372037s', undefined],
  ['9999999999d9999999999d', undefined],
  ['99999999999s', undefined],
  ['-1s', undefined],
  ['-1', undefined],
  ['+1s', undefined],
  ['1.5h', undefined],
  ['1e3', undefined],
  ['0x10', undefined],
  ['1w', undefined],
  ['1H', undefined],
  ['1h 30m', undefined],
  ['h', undefined],
  ['s1', undefined],
  ['1ss', undefined],
  ['١s', undefined],
  [true, undefined],
  [null, undefined],
  [undefined, undefined],
  [[], undefined],
  [{}, undefined],
])('reads %p as %p seconds', (raw, seconds) => {
  expect(parseDuration(raw)).toBe(seconds);
});

test('takes no noticeable time for a long text that is nearly a duration', () => {
  expect(parseDuration('1h'.repeat(50_000) + '!')).toBeUndefined();
});

test.each([
  [0, '0s'],
  [4, '4s'],
  [3_600, '3600s'],
  [1.5, '1500ms'],
  [0.001, '1ms'],
])('writes %p seconds as %p, and reads it back', (seconds, text) => {
  expect(formatDuration(seconds)).toBe(text);
  expect(parseDuration(text)).toBe(seconds);
});
