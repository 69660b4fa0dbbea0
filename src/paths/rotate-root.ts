import type { RotationManager, RotationStatus } from '../contract/index.js';
import { definePath } from '../framework/path.js';
import type { PathDefinition } from '../framework/path.js';

const STILL_PENDING =
  'The directory has not accepted the new client secret yet. The old one stays in use until it does; the swap completes in the background.';

/** `rotate-root`: replaces the client secret of the configuration (spec 4.4 and 5.6). */
export function rotateRootPath(rotation: RotationManager): PathDefinition {
  return definePath({
    pattern: 'rotate-root',
    fields: {},
    operations: {
      write: {
        summary: 'Replace the client secret by a new one that only this method knows.',
        handle: async () => ((await rotation.rotate()) === 'pending' ? { warnings: [STILL_PENDING] } : undefined),
      },
      read: {
        summary: 'Say where root rotation stands.',
        handle: async () => ({ data: describe(await rotation.status()) }),
      },
    },
    help: {
      synopsis: 'Rotates the client secret.',
      description:
        'Makes a new client secret in the directory, waits until the directory accepts it, stores it and removes the former ' +
        'one. Answers before the end when that takes more than a few seconds. A second call joins one in flight.',
    },
  });
}

function describe({ open, cleanUps, ...times }: RotationStatus): Record<string, unknown> {
  return {
    state: open?.state ?? 'idle',
    ...(open && { attempt: open.attempt, started_at: new Date(open.startedAt).toISOString() }),
    clean_ups: cleanUps,
    ...rotationTimes(times),
  };
}

/** When rotations were and will be, as far as it is known, in RFC 3339. */
export function rotationTimes(status: Omit<RotationStatus, 'cleanUps'>): Record<string, string> {
  const times = {
    last_rotation_time: status.lastRotation,
    next_rotation_time: status.nextRotation,
    root_password_expiration_date: status.secretExpiration,
  };
  const known = Object.entries(times).filter((entry): entry is [string, number] => entry[1] !== undefined);
  return Object.fromEntries(known.map(([name, time]) => [name, new Date(time).toISOString()]));
}
