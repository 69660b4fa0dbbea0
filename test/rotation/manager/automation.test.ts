import { afterEach, describe, expect, test } from '@jest/globals';
import { unavailable } from './directory.js';
import type { FakeConfig } from './root.js';
import { ORIGINAL, World } from './world.js';
import type { Process } from './world.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

let world: World;

afterEach(() => world.end());

/** A world that begins at midnight, with a process in it. */
async function started(config: Partial<FakeConfig>): Promise<Process> {
  world = await World.create(config);
  const node = world.start();
  await node.manager.recover();
  return node;
}

/** How many rotations there have been. */
const rotations = (): number => world.directory.passwords.length - 1;

describe('a period', () => {
  test('brings a rotation each time that it has passed', async () => {
    const node = await started({ period: 3_600 });
    expect(await node.manager.status()).toEqual({ cleanUps: 0, nextRotation: world.clock.now() + HOUR });
    await world.pass(HOUR - 1_000, 10_000);
    expect(rotations()).toBe(0);
    await world.pass(5_000);
    expect(rotations()).toBe(1);
    expect((await node.manager.status()).nextRotation).toBe((await node.manager.status()).lastRotation! + HOUR);
    await world.pass(10 * HOUR, MINUTE);
    expect(rotations()).toBe(11);
    await world.expectPromise();
  });

  test('counts from a rotation by hand', async () => {
    const node = await started({ period: 3_600 });
    await world.pass(30 * MINUTE, MINUTE);
    await node.manager.rotate();
    await world.pass(45 * MINUTE, MINUTE);
    expect(rotations()).toBe(1);
    await world.pass(20 * MINUTE, MINUTE);
    expect(rotations()).toBe(2);
  });

  test('goes on over restarts without a rotation too many or too few', async () => {
    await started({ period: 3_600 });
    for (let restart = 0; restart < 40; restart++) {
      await world.pass(15 * MINUTE, MINUTE);
      world.killAll();
      await world.start().manager.recover();
    }
    expect(rotations()).toBeGreaterThanOrEqual(9);
    expect(rotations()).toBeLessThanOrEqual(10);
  });

  test('that passed several times while the server was down brings one rotation', async () => {
    await started({ period: 3_600 });
    world.killAll();
    world.clock.advance(7 * HOUR);
    await world.start().manager.recover();
    await world.pass(10_000);
    expect(rotations()).toBe(1);
  });

  test('does not count while it is disabled', async () => {
    const node = await started({ period: 3_600 });
    await node.configure({ credential: ORIGINAL });
    await world.pass(5 * HOUR, MINUTE);
    expect(rotations()).toBe(0);
    expect(await node.manager.status()).toEqual({ cleanUps: 0 });
  });

  test('is looked at again as soon as it is another', async () => {
    const node = await started({ period: 3_600 });
    await node.configure({ credential: ORIGINAL, period: 60, since: world.clock.now() });
    await world.pass(70_000);
    expect(rotations()).toBe(1);
  });
});

describe('a schedule', () => {
  test('brings rotations at its times', async () => {
    await started({ expression: '0 3 * * *' });
    await world.pass(2 * HOUR + 59 * MINUTE, MINUTE);
    expect(rotations()).toBe(0);
    await world.pass(2 * MINUTE, MINUTE);
    expect(rotations()).toBe(1);
    await world.pass(3 * DAY, 10 * MINUTE);
    expect(rotations()).toBe(4);
  });

  test('that was missed while the server was down is made up for, once, when its window is unbounded', async () => {
    await started({ expression: '0 3 * * *' });
    world.killAll();
    world.clock.advance(3 * DAY + 12 * HOUR);
    await world.start().manager.recover();
    await world.pass(6 * HOUR, MINUTE);
    expect(rotations()).toBe(1);
  });

  test('that was missed is made up for while its window is open', async () => {
    await started({ expression: '0 3 * * *', window: 3_600 });
    world.killAll();
    world.clock.advance(3 * HOUR + 50 * MINUTE);
    await world.start().manager.recover();
    await world.pass(10_000);
    expect(rotations()).toBe(1);
  });

  test('that was missed with its window is logged once, and the next time awaited', async () => {
    await started({ expression: '0 3 * * *', window: 3_600 });
    world.killAll();
    world.clock.advance(5 * HOUR);
    const node = world.start();
    await node.manager.recover();
    await world.pass(HOUR, MINUTE);
    expect(rotations()).toBe(0);
    expect(node.logs('error', /within its window/)).toMatchObject([
      { fields: { scheduled: '2026-01-01T03:00:00.000Z', next: '2026-01-02T03:00:00.000Z' } },
    ]);
    await world.pass(21 * HOUR + 5 * MINUTE, MINUTE);
    expect(rotations()).toBe(1);
  });

  test('is retried with growing delay until its window closes, and again at the next time', async () => {
    const node = await started({ expression: '0 3 * * *', window: 3_600, retryDelay: 4, maxRetryDelay: 600 });
    world.directory.before = (call) => {
      if (call === 'add') throw unavailable();
    };
    await world.pass(5 * HOUR, 10_000);
    const adds = world.directory.calls.filter((call) => call === 'add').length;
    expect(adds).toBeGreaterThan(8);
    expect(adds).toBeLessThan(18);
    expect(node.logs('error', /within its window/)).toHaveLength(1);
    expect(node.logs('warn', /did not get to its end/)).toHaveLength(adds);

    world.directory.before = () => undefined;
    await world.pass(21 * HOUR, MINUTE);
    expect(rotations()).toBe(0);
    await world.pass(2 * HOUR, MINUTE);
    expect(rotations()).toBe(1);
  });

  test('logs each window that closes without a rotation', async () => {
    const node = await started({ expression: '0 3 * * *', window: 3_600 });
    await node.root.write({ ...(await node.root.read())!, pinned: true });
    await world.pass(4 * DAY, 10 * MINUTE);
    expect(node.logs('error', /within its window/)).toHaveLength(4);
    expect(world.directory.calls).toEqual([]);
  });

  test('is retried a second later at the earliest', async () => {
    await started({ period: 60, retryDelay: 0, maxRetryDelay: 0 });
    world.directory.before = (call) => {
      if (call === 'add') throw unavailable();
    };
    await world.pass(70_000, 100);
    expect(world.directory.calls.filter((call) => call === 'add').length).toBeLessThan(12);
  });
});

describe('a clock that jumps', () => {
  test('forward brings one rotation', async () => {
    await started({ period: 3_600 });
    world.clock.advance(30 * DAY);
    await world.pass(10 * MINUTE, MINUTE);
    expect(rotations()).toBe(1);
  });

  test('back counts from now', async () => {
    const node = await started({ period: 3_600 });
    world.clock.advance(30 * DAY);
    await world.pass(10 * MINUTE, MINUTE);
    world.clock.advance(-30 * DAY);
    // The directory has another clock.
    for (const password of world.directory.passwords) Object.assign(password, { acceptedFrom: 0, listedFrom: 0 });
    await world.pass(30 * MINUTE, MINUTE);
    expect(node.logs('warn', /in the future/)).toHaveLength(1);
    expect(rotations()).toBe(1);
    await world.pass(40 * MINUTE, MINUTE);
    expect(rotations()).toBe(2);
  });

  test('back does not stretch the wait for the next attempt', async () => {
    await started({ period: 3_600, retryDelay: 600, maxRetryDelay: 600 });
    world.clock.advance(2 * DAY);
    world.directory.before = (call) => {
      if (call === 'add') throw unavailable();
    };
    await world.pass(2_000);
    expect(world.directory.calls.filter((call) => call === 'add')).toHaveLength(1);
    world.clock.advance(-DAY);
    await world.pass(2_000);
    expect(world.directory.calls.filter((call) => call === 'add').length).toBe(2);
  });
});

test('a tick does not wait for the directory', async () => {
  const node = await started({ period: 60 });
  world.directory.before = () => new Promise(() => undefined);
  world.clock.advance(2 * MINUTE);
  await node.manager.periodic(world.clock.now());
  await world.settle();
  expect(world.directory.calls).toEqual(['add']);
  await node.manager.periodic(world.clock.now());
  expect(world.directory.calls).toEqual(['add']);
  world.processes.splice(0);
});

test('a storage that fails is logged, and asked again at the next tick', async () => {
  world = await World.create({ period: 60 });
  const node = world.start();
  node.isDead = true;
  await node.manager.recover();
  expect(node.logs('warn', /look after its state/)).toHaveLength(1);
  node.isDead = false;
  await world.pass(70_000);
  expect(rotations()).toBe(1);
});

test('the status of an open rotation is that of the secret in use', async () => {
  const node = await started({ period: 3_600 });
  await node.manager.rotate();
  const before = await node.manager.status();
  world.directory.acceptDelay = MINUTE;
  void node.manager.rotate();
  await world.pass(10_000);
  expect(await world.openState()).toBe('pending');
  expect(await node.manager.status()).toMatchObject(before);

  world.directory.before = (call) => {
    if (call === 'remove') throw unavailable();
  };
  await world.pass(2 * MINUTE);
  expect(await world.openState()).toBe('promoting');
  const { secretExpiration, lastRotation } = await node.manager.status();
  expect(secretExpiration).toBe(world.directory.passwords.at(-1)!.expiresAt);
  expect(lastRotation).toBe(before.lastRotation);
});
