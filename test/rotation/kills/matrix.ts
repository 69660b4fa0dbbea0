import { setTimeout as wait } from 'node:timers/promises';
import type { KillWorld, Mishap } from './kill-world.js';
import { endDelays } from './scenarios.js';
import type { Scenario } from './scenarios.js';

/** All moments of a scenario at which a process can die. */
export async function momentsOf(world: KillWorld, scenario: Scenario): Promise<readonly Mishap[]> {
  world.title = `${scenario.name}, killed at its end`;
  await begin(world, scenario);
  await scenario.run(world);
  const writes = await world.tell({});
  const calls = world.calls.map(({ at, when }) => ({ on: 'call', at, when }) as const);
  await world.recover(scenario.calm);
  return [
    ...writes.flatMap((_, index) => [
      { on: 'write', at: index + 1, when: 'before' } as const,
      { on: 'write', at: index + 1, when: 'after' } as const,
    ]),
    ...calls,
  ];
}

/** Kills a process at a moment of a scenario, starts it again, and checks the promise. Whether it died by then. */
export async function killAt(world: KillWorld, scenario: Scenario, mishap: Mishap): Promise<boolean> {
  world.title = `${scenario.name}, killed ${mishap.when} ${mishap.on} ${mishap.at}`;
  await begin(world, scenario, mishap);
  await scenario.run(world);
  const wasHit = world.server.isDead;
  await world.recover(scenario.calm);
  return wasHit;
}

/** Gets a scenario ready to run. */
export async function begin(world: KillWorld, scenario: Scenario, mishap?: Mishap): Promise<void> {
  endDelays(world);
  await world.enrol();
  await scenario.prepare?.(world);
  await world.arm(mishap);
}

/** Kills a process at any moment while it rotates back to back, and all nodes accept logins. */
export async function killAnytime(world: KillWorld): Promise<void> {
  const delay = Math.floor(Math.random() * 400);
  world.title = `back to back, killed after ${delay} ms`;
  const { server } = world;
  const again = async (work: () => Promise<void>): Promise<void> => {
    while (!server.isDead) await work();
  };
  const nodes = Array.from({ length: world.nodes }, (_, node) => node);
  const loops = nodes.flatMap((node) => [
    again(() => world.expectRotation(node)),
    again(() => world.expectLogin(node)),
  ]);
  await wait(delay);
  await world.recover();
  await Promise.all(loops);
}

/** Does all work in as many lanes as there are worlds. */
export async function inLanes<T>(
  worlds: readonly KillWorld[],
  work: readonly T[],
  one: (world: KillWorld, item: T) => Promise<void>,
): Promise<void> {
  const queue = [...work];
  const lane = async (world: KillWorld): Promise<void> => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) await one(world, item);
  };
  await Promise.all(worlds.map(lane));
}
