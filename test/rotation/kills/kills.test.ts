import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { KillWorld } from './kill-world.js';
import { inLanes, killAnytime, killAt, momentsOf } from './matrix.js';
import { SCENARIOS, endDelays } from './scenarios.js';

/** `npm run test:kills` asks for all; the suite takes a part of each scenario. */
const IS_WHOLE = process.env['KILLS'] === 'all';
const LANES = 4;
const RANDOM_KILLS = IS_WHOLE ? 200 : 8;
const PART = 10;
const NONE = { lost: [], leftBehind: [], others: [] };

let worlds: readonly KillWorld[] = [];

beforeAll(async () => {
  worlds = await Promise.all(Array.from({ length: LANES }, () => KillWorld.create()));
}, 60_000);

afterAll(async () => {
  const sum = (count: (world: KillWorld) => number): number =>
    worlds.map(count).reduce((total, number) => total + number, 0);
  const counts = [
    `kills ${sum(({ kills }) => kills)}`,
    `recoveries ${sum(({ recoveries }) => recoveries)}`,
    `lost ${sum(({ problems }) => problems.lost.length)}`,
    `left behind ${sum(({ problems }) => problems.leftBehind.length)}`,
  ];
  if (IS_WHOLE) process.stdout.write(`${counts.join(', ')}\n`);
  await Promise.all(worlds.map((world) => world.close()));
}, 60_000);

test.each(SCENARIOS)(
  '$name: nothing is lost or left behind by a kill before or after any write and any call',
  async (scenario) => {
    const moments = await momentsOf(worlds[0]!, scenario);
    const chosen = moments.filter((_, index) => IS_WHOLE || index % PART === 0);
    let hits = 0;
    await inLanes(worlds, chosen, async (world, mishap) => {
      if (await killAt(world, scenario, mishap)) hits += 1;
    });
    // How often a late directory is asked differs.
    expect(hits).toBeGreaterThan(chosen.length * 0.4);
    for (const { problems } of worlds) expect(problems).toEqual(NONE);
  },
  600_000,
);

test(`nothing is lost, left behind or refused by ${RANDOM_KILLS} kills at any moment`, async () => {
  for (const world of worlds) {
    endDelays(world);
    await world.enrol();
    world.cloud.setPropagationDelays({ secretAcceptanceDelay: 60 });
  }
  await inLanes(worlds, [...Array(RANDOM_KILLS).keys()], killAnytime);
  for (const { problems } of worlds) expect(problems).toEqual(NONE);
}, 600_000);
