import { describe, expect, test } from '@jest/globals';
import { unavailable } from './directory.js';
import { ORIGINAL, World } from './world.js';
import type { Mishap, Process } from './world.js';

const OTHER = { ...ORIGINAL, clientSecret: 'Ope~canary-operator' };

/** What a process does when something happens to it, with what the operator then knows. */
interface Scenario {
  readonly name: string;
  readonly prepare?: (world: World) => void | Promise<void>;
  readonly run: (node: Process, world: World) => Promise<unknown>;
}

const SCENARIOS: readonly Scenario[] = [
  { name: 'a rotation', run: (node, world) => rotate(node, world, 8_000) },
  {
    name: 'a rotation of a secret of ours',
    prepare: async (world) => {
      const first = world.start();
      await first.manager.rotate();
      await first.manager.close();
    },
    run: (node, world) => rotate(node, world, 8_000),
  },
  {
    name: 'a rotation in a directory that is slow in everything',
    prepare: (world) => {
      Object.assign(world.directory, { acceptDelay: 7_000, listDelay: 5_000, removeDelay: 9_000 });
    },
    run: (node, world) => rotate(node, world, 30_000),
  },
  {
    name: 'a rotation whose answer is lost, and the clean-up',
    prepare: (world) => {
      world.directory.after = (call) => {
        if (call !== 'add') return;
        world.directory.after = () => undefined;
        throw unavailable();
      };
    },
    run: async (node, world) => {
      await rotate(node, world, 10_000).catch(() => undefined);
      await world.pass(10_000);
    },
  },
  {
    name: 'other credentials while the new secret is pending',
    prepare: (world) => {
      // Removed, it is accepted all the same when its time comes.
      Object.assign(world.directory, { acceptDelay: 60_000, removeDelay: 300_000 });
      world.directory.plant(OTHER.clientSecret);
      world.foreign.push(ORIGINAL.clientSecret, OTHER.clientSecret);
    },
    run: async (node, world) => {
      const rotation = node.manager.rotate().catch(() => undefined);
      await world.pass(2_000);
      await node.configure({ credential: OTHER });
      await rotation;
      await world.pass(10_000);
    },
  },
  {
    name: 'the original secret while the superseded one is removed',
    prepare: async (world) => {
      const first = world.start();
      await first.manager.rotate();
      await first.manager.close();
      world.foreign.push((await world.secret())!);
      world.directory.before = (call) => {
        if (call === 'remove') throw unavailable();
      };
    },
    run: async (node, world) => {
      const original = (await node.root.read())!;
      const rotation = node.manager.rotate().catch(() => undefined);
      await world.pass(2_000);
      await node.configure(original);
      world.directory.before = () => undefined;
      await rotation;
      await world.pass(10_000);
    },
  },
];

/** Rotates while that many milliseconds pass: a flight that meets a dead directory waits. */
function rotate(node: Process, world: World, milliseconds: number): Promise<unknown> {
  return Promise.all([node.manager.rotate(), world.pass(milliseconds)]);
}

async function prepared(scenario: Scenario): Promise<World> {
  const world = await World.create();
  await scenario.prepare?.(world);
  return world;
}

/** What a scenario does when nothing happens to it. */
async function operationsOf(scenario: Scenario): Promise<readonly string[]> {
  const world = await prepared(scenario);
  const node = world.start();
  await scenario.run(node, world);
  await world.calm();
  await world.end();
  return node.operations;
}

async function everyMishap(scenario: Scenario): Promise<Mishap[]> {
  const operations = await operationsOf(scenario);
  return operations.flatMap((_, index) => [
    { at: index + 1, when: 'before' },
    { at: index + 1, when: 'after' },
  ]);
}

/** What the directory may keep beyond the secret in use, once everything is calm. */
async function expectNothingLost(world: World): Promise<void> {
  world.directory.before = () => undefined;
  await world.calm();
  // What an operator made or wrote back stays his, whether or not the rotation got as far as removing it.
  world.foreign.splice(
    0,
    Infinity,
    ...world.foreign.filter((secret) => world.directory.live.some((password) => password.secret === secret)),
  );
  await world.expectPromise();
}

describe.each(SCENARIOS)('$name', (scenario) => {
  test('survives a crash before and after each write and each call', async () => {
    const mishaps = await everyMishap(scenario);
    expect(mishaps.length).toBeGreaterThan(10);
    for (const crash of mishaps) {
      const world = await prepared(scenario);
      const node = world.start();
      node.crash = crash;
      await scenario.run(node, world).catch(() => undefined);
      await world.settle();
      node.isDead = true;

      await world.start().manager.recover();
      await expectNothingLost(world);
      await world.end();
    }
  });

  test('survives a second crash during recovery', async () => {
    for (const crash of await everyMishap(scenario)) {
      for (const again of [1, 2, 3, 4, 6, 8]) {
        const world = await prepared(scenario);
        const [first, second] = [world.start(), world.start()];
        first.crash = crash;
        second.crash = { at: again, when: again % 2 === 0 ? 'before' : 'after' };
        second.isDead = true;
        await scenario.run(first, world).catch(() => undefined);
        first.isDead = true;
        second.isDead = false;
        await second.manager.recover();
        await world.pass(3_000);
        second.isDead = true;

        await world.start().manager.recover();
        await expectNothingLost(world);
        await world.end();
      }
    }
  });

  test('survives each failing write, whether or not it happened', async () => {
    const operations = await operationsOf(scenario);
    for (const mishap of (await everyMishap(scenario)).filter(({ at }) => /put|delete/.test(operations[at - 1]!))) {
      const world = await prepared(scenario);
      const node = world.start();
      node.failing = [mishap];
      await scenario.run(node, world).catch((error: unknown) => {
        expect(error).toMatchObject({ code: 'storage_failed' });
      });
      await expectNothingLost(world);
      await world.end();
    }
  });

  test('survives a disk that is full from any write on, for a while', async () => {
    const operations = await operationsOf(scenario);
    for (let from = 1; from <= operations.length; from++) {
      const world = await prepared(scenario);
      const node = world.start();
      node.failing = Array.from({ length: operations.length }, (_, index) => ({
        at: from + index,
        when: 'before' as const,
      }));
      await scenario.run(node, world).catch((error: unknown) => {
        expect(error).toMatchObject({ code: 'storage_failed' });
      });
      node.failing = [];
      await expectNothingLost(world);
      await world.end();
    }
  });
});

test('a failed write of the pending secret fails the call, and the old secret stays in use', async () => {
  for (const when of ['before', 'after'] as const) {
    const world = await World.create();
    const node = world.start();
    node.failing = [{ at: 3, when }];
    await expect(node.manager.rotate()).rejects.toMatchObject({ code: 'storage_failed' });
    expect(await world.secret()).toBe(ORIGINAL.clientSecret);
    await world.calm();
    await world.expectPromise();
    expect(await world.secret()).toBe(ORIGINAL.clientSecret);
    await world.end();
  }
});

test('a secret whose removal has begun is never put to use, though the directory still accepts it', async () => {
  const world = await World.create();
  world.directory.removeDelay = 600_000;
  const node = world.start();
  // The write of `pending` happens and fails, and so do all those that would undo it; then the disk works again.
  node.failing = [3, 4, 5, 6, 7, 8].map((at) => ({ at, when: at === 3 ? 'after' : 'before' }) as const);
  await expect(node.manager.rotate()).rejects.toMatchObject({ code: 'storage_failed' });
  await world.pass(60_000);
  await world.calm();
  await world.expectPromise();
  await world.end();
});
