import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { AuthMethodError } from '../../../src/contract/index.js';
import type { RotationJob } from '../../../src/contract/index.js';
import { createRotationManager, ROTATION_KEYS } from '../../../src/rotation/index.js';
import { fakeSystem } from '../../support/fake-system.js';
import { recordingLogger } from '../../support/logger.js';
import { FakeRoot } from './root.js';
import { ORIGINAL, World } from './world.js';

let world: World;

beforeEach(async () => {
  world = await World.create({ expression: '0 3 * * *', window: 600 });
});

afterEach(() => world.end());

const JOB = { path: 'rotate-root', schedule: '0 3 * * *', window: 600, period: 0 };

/** What a host was told, in order: jobs, and paths of jobs taken back. */
function rotatingHost(fail: () => Error | undefined = () => undefined) {
  const told: (RotationJob | string)[] = [];
  const tell = (what: RotationJob | string): Promise<void> => {
    const error = fail();
    if (error !== undefined) return Promise.reject(error);
    told.push(what);
    return Promise.resolve();
  };
  return { told, system: { registerRotationJob: tell, deregisterRotationJob: tell } };
}

describe('a host that rotates', () => {
  test('is told the schedule, once, and rotates alone', async () => {
    const { told, system } = rotatingHost();
    const node = world.start(system);
    await node.manager.recover();
    await world.pass(30 * 3_600_000, 600_000);
    expect(told).toEqual([JOB]);
    expect(world.directory.calls).toEqual([]);
    expect((await node.manager.status()).nextRotation).toBeDefined();
    await expect(node.manager.rotate()).resolves.toBe('completed');
  });

  test('is told other schedules, and that there is none', async () => {
    const { told, system } = rotatingHost();
    const node = world.start(system);
    await node.manager.recover();
    await node.configure({ credential: ORIGINAL, period: 60 });
    await node.configure({ credential: ORIGINAL });
    await node.configure({ credential: ORIGINAL, retryDelay: 9 });
    expect(told).toEqual([JOB, { path: 'rotate-root', schedule: '', window: 0, period: 60 }, 'rotate-root']);
  });

  test('is told of no schedule by a standby', async () => {
    const { told, system } = rotatingHost();
    await world.start({ ...system, isActive: () => Promise.resolve(false) }).manager.recover();
    expect(told).toEqual([]);
  });

  test.each(['capability_missing', 'unsupported_operation'] as const)(
    'and answers %s is done without',
    async (code) => {
      const { told, system } = rotatingHost(() => new AuthMethodError(code, 'there is no rotation service'));
      const node = world.start(system);
      await node.manager.recover();
      await world.pass(4 * 3_600_000, 60_000);
      expect(told).toEqual([]);
      expect(world.directory.passwords).toHaveLength(2);
      expect(node.logs('info', /keeps time by itself/)).toHaveLength(1);
    },
  );

  test('and fails is asked again, and left to its work meanwhile', async () => {
    let failures = 3;
    const { told, system } = rotatingHost(() => (failures-- > 0 ? new Error('canary-host') : undefined));
    const node = world.start(system);
    await node.manager.recover();
    await world.pass(4 * 3_600_000, 3_600_000);
    expect(told).toEqual([JOB]);
    expect(node.logs('warn', /could not be handed/)).toHaveLength(3);
    expect(world.directory.calls).toEqual([]);
  });
});

describe('a host without a tick', () => {
  test('is done without: a timer of our own looks at the clock', async () => {
    const timers = jest.spyOn(globalThis, 'setInterval');
    const manager = createRotationManager({
      storage: world.disk,
      system: fakeSystem(),
      clock: world.clock,
      logger: recordingLogger(),
      root: new FakeRoot(world.disk),
      passwords: world.directory,
      timing: { tick: 1 },
    });
    try {
      await manager.recover();
      await manager.recover();
      expect(timers).toHaveBeenCalledTimes(1);
      expect((timers.mock.results[0]!.value as NodeJS.Timeout).hasRef()).toBe(false);
      world.clock.advance(3 * 3_600_000);
      while ((await world.secret()) === ORIGINAL.clientSecret) await new Promise((resolve) => setTimeout(resolve, 1));
    } finally {
      timers.mockRestore();
      await manager.close();
    }
  });

  test('that ticks gets no timer', async () => {
    const timers = jest.spyOn(globalThis, 'setInterval');
    await world.start().manager.recover();
    expect(timers).not.toHaveBeenCalled();
    timers.mockRestore();
  });
});

test('the keys that hold secrets are known to hosts', async () => {
  world.directory.after = (call) => {
    if (call === 'add') throw new AuthMethodError('provider_unavailable', 'no answer');
  };
  await world
    .start()
    .manager.rotate()
    .catch(() => undefined);
  const keys = (await world.disk.list('')).filter((key) => key !== 'config');
  expect(keys).toEqual([...ROTATION_KEYS]);
});
