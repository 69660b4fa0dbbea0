import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { KillWorld } from './kill-world.js';
import { begin } from './matrix.js';
import { SCENARIOS, endDelays } from './scenarios.js';

const HOUR = 3_600_000;
const YEAR = 365 * 24 * HOUR;
let world: KillWorld;

beforeAll(async () => {
  world = await KillWorld.create();
}, 60_000);

afterAll(() => world.close());

test.each([
  ['an hour ahead', HOUR],
  ['an hour back', -HOUR],
  ['a year ahead', YEAR],
  ['a year back', -YEAR],
])(
  'nothing is lost or left behind when the clock jumps %s, and later back, at any call',
  async (name, offset) => {
    const scenario = SCENARIOS[1]!;
    await begin(world, scenario);
    await scenario.run(world);
    const moments = world.calls.map(({ at, when }) => ({ on: 'call', at, when }) as const);
    expect(moments.length).toBeGreaterThan(4);
    for (const moment of moments) {
      world.title = `the clock jumps ${name} ${moment.when} call ${moment.at}`;
      await begin(world, scenario);
      await world.arm(moment, () => world.tell({ offset }));
      await world.rotate();
      await world.expectSecret();
      await world.tell({ offset: 0 });
      world.calm();
      await world.expectPromise();
      await world.expectRotation();
      await world.expectPromise();
    }
    endDelays(world);
    expect(world.problems).toEqual({ lost: [], leftBehind: [], others: [] });
  },
  120_000,
);
