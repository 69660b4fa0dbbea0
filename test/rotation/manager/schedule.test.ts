import { describe, expect, test } from '@jest/globals';
import { missedRotation, nextRotation } from '../../../src/rotation/schedule.js';
import { scheduleOf } from './root.js';

const at = (text: string): number => Date.parse(`2026-03-${text}Z`);
const daily = { period: 0, expression: '0 3 * * *', since: at('01T00:00:00') };
const shown = (time: number | undefined): string | undefined =>
  time === undefined ? undefined : new Date(time).toISOString().slice(8, 19);

describe('the next rotation', () => {
  test.each([
    ['counts a period from the last rotation', 3_600, '02T10:00:00', '05T00:00:00', '02T11:00:00'],
    ['counts a period from when it came into force', 3_600, undefined, '01T00:10:00', '01T01:00:00'],
    ['counts from when it came into force after the last rotation', 3_600, '01T00:00:00', '01T02:00:00', '01T01:00:00'],
  ])('%s', (_, period, last, now, next) => {
    const schedule = scheduleOf({ period, expression: '', window: 0, since: at('01T00:00:00') });
    expect(shown(nextRotation(schedule, last === undefined ? last : at(last), at(now)))).toBe(next);
  });

  test.each([
    ['is the first scheduled time after the last rotation', 0, '02T10:00:00', '02T11:00:00', '03T03:00:00'],
    ['is a time long past while the window is unbounded', 0, '02T10:00:00', '09T11:00:00', '03T03:00:00'],
    ['is the first time after it came into force', 0, undefined, '01T00:00:00', '01T03:00:00'],
    ['is a time past while its window is open', 3_600, '02T10:00:00', '03T03:30:00', '03T03:00:00'],
    ['is a time past until the end of its window', 3_600, '02T10:00:00', '03T04:00:00', '03T03:00:00'],
    ['is the one after when the window has closed', 3_600, '02T10:00:00', '03T04:00:00.001', '04T03:00:00'],
    ['skips all whose windows have closed', 3_600, '02T10:00:00', '09T05:00:00', '10T03:00:00'],
    ['is not one that was rotated in its window', 3_600, '03T03:10:00', '03T03:30:00', '04T03:00:00'],
  ])('%s', (_, window, last, now, next) => {
    const schedule = scheduleOf({ ...daily, window });
    expect(shown(nextRotation(schedule, last === undefined ? last : at(last), at(now)))).toBe(next);
  });

  test('never comes for a time that never comes', () => {
    const schedule = scheduleOf({ ...daily, expression: '0 0 30 2 *', window: 0 });
    expect(nextRotation(schedule, undefined, at('01T00:00:00'))).toBeUndefined();
  });

  test('does not wait for a time that the clock was set back from', () => {
    const schedule = scheduleOf({ period: 3_600, expression: '', window: 0, since: at('20T00:00:00') });
    expect(shown(nextRotation(schedule, at('02T00:00:00'), at('02T00:30:00')))).toBe('02T01:00:00');
  });
});

describe('a missed rotation', () => {
  test.each([
    ['is the first whose window has closed', 3_600, '02T10:00:00', '05T05:00:00', '03T03:00:00'],
    ['is none while the window is open', 3_600, '02T10:00:00', '03T03:30:00', undefined],
    ['is none when there was a rotation in the window', 3_600, '03T03:10:00', '03T05:00:00', undefined],
    ['is none while the window is unbounded', 0, '02T10:00:00', '09T05:00:00', undefined],
  ])('%s', (_, window, last, now, missed) => {
    expect(shown(missedRotation(scheduleOf({ ...daily, window }), at(last), 0, at(now)))).toBe(missed);
  });

  test('is not told twice', () => {
    const schedule = scheduleOf({ ...daily, window: 3_600 });
    expect(missedRotation(schedule, at('02T10:00:00'), at('03T04:00:00'), at('03T05:00:00'))).toBeUndefined();
  });
});
