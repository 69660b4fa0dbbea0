import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { KillWorld } from './kill-world.js';
import { begin } from './matrix.js';
import { SCENARIOS, endDelays } from './scenarios.js';

const NONE = { lost: [], leftBehind: [], others: [] };
let world: KillWorld;

beforeAll(async () => {
  world = await KillWorld.create(2);
}, 60_000);

afterAll(() => world.close());

test('another node that becomes active at any call takes a rotation to its end', async () => {
  const scenario = SCENARIOS[2]!;
  await begin(world, scenario);
  await scenario.run(world);
  const moments = world.calls.map(({ at, when }) => ({ on: 'call', at, when }) as const);
  for (const moment of moments) {
    world.title = `the other node becomes active ${moment.when} call ${moment.at}`;
    await world.tell({ active: [true, false] });
    await begin(world, scenario);
    await world.arm(moment, () => world.tell({ active: [false, true] }));
    await world.rotate(0);
    await world.tell({ active: [false, true] });
    world.calm();
    await world.expectPromise(1);
    expect((await world.rotate(1))?.status).toBeLessThan(300);
    await world.expectPromise(1);
  }
  await world.tell({ active: [true, true] });
  expect(world.problems).toEqual(NONE);
}, 120_000);

test('two nodes that both think that they are active lose nothing and leave nothing behind', async () => {
  endDelays(world);
  await world.enrol();
  for (let round = 1; round <= 10; round += 1) {
    world.title = `both active, round ${round}`;
    await Promise.all([world.rotate(0), world.rotate(1), world.expectLogin(0), world.expectLogin(1)]);
    await world.expectPromise(round % 2);
  }
  expect(world.problems).toEqual(NONE);
}, 60_000);
