import type { RotationSchedule } from '../contract/index.js';

/** How far in the future a stored time may be before the clock is taken to have jumped back. Milliseconds. */
export const CLOCK_TOLERANCE = 60_000;

/**
 * When the next rotation is due: a time in the past means now. Missed times count as long as their window is open; always
 * when it is unbounded. `undefined` when never. Times in milliseconds since the Unix epoch.
 */
export function nextRotation(
  schedule: RotationSchedule,
  lastRotation: number | undefined,
  now: number,
): number | undefined {
  const base = baseOf(schedule, lastRotation, now);
  if (schedule.period > 0) return base + schedule.period * 1000;
  return schedule.next(schedule.window === 0 ? base : Math.max(base, lastClosed(schedule, now)));
}

/** The first scheduled time after `since` whose window closed without a rotation. Times like those of {@link nextRotation}. */
export function missedRotation(
  schedule: RotationSchedule,
  lastRotation: number | undefined,
  since: number,
  now: number,
): number | undefined {
  if (schedule.period > 0 || schedule.window === 0) return undefined;
  const first = schedule.next(Math.max(baseOf(schedule, lastRotation, now), since));
  return first !== undefined && first <= lastClosed(schedule, now) ? first : undefined;
}

/** Windows of times up to this one are closed. */
export function lastClosed({ window }: RotationSchedule, now: number): number {
  return now - window * 1000 - 1;
}

function baseOf({ since }: RotationSchedule, lastRotation = 0, now: number): number {
  // Written before the clock was set back, it would stop rotations until then.
  const isFromTheFuture = since > now + CLOCK_TOLERANCE;
  return isFromTheFuture ? lastRotation : Math.max(lastRotation, since);
}
