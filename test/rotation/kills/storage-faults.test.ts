import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { KillWorld } from './kill-world.js';
import { begin } from './matrix.js';
import { SCENARIOS } from './scenarios.js';
import type { WritePlan } from './server-process.js';

let world: KillWorld;

beforeAll(async () => {
  world = await KillWorld.create();
}, 60_000);

afterAll(() => world.close());

const KINDS: readonly { readonly name: string; readonly plan: Omit<WritePlan, 'at'> }[] = [
  { name: 'fails one write', plan: { when: 'before', code: 'EIO' } },
  { name: 'fails one write that has happened', plan: { when: 'after', code: 'EIO' } },
  { name: 'is full from a write on, for a while', plan: { when: 'before', code: 'ENOSPC', times: Infinity } },
  { name: 'is read-only from a write on, for a while', plan: { when: 'before', code: 'EROFS', times: Infinity } },
];
const CASES = SCENARIOS.slice(0, 2).flatMap((scenario) => KINDS.map((kind) => ({ scenario, ...kind })));

test.each(CASES)(
  '$scenario.name on storage that $name',
  async ({ scenario, name, plan }) => {
    await begin(world, scenario);
    await scenario.run(world);
    const writes = (await world.tell({})).length;
    expect(writes).toBeGreaterThan(3);
    for (let at = 1; at <= writes; at += 1) {
      world.title = `${scenario.name} on storage that ${name}: ${at}`;
      await begin(world, scenario);
      // JSON knows no infinity.
      await world.tell({ plan: { at, ...plan, times: Math.min(plan.times ?? 1, 1_000_000) } });
      // A warning where the answer was not worth waiting for.
      expect([500, 200]).toContain((await world.rotate())?.status);
      await world.expectSecret();
      await world.expectLogin();
      await world.tell({ plan: null });
      await world.expectPromise();
      await world.expectRotation();
      await world.expectPromise();
    }
    world.calm();
    expect(world.problems).toEqual({ lost: [], leftBehind: [], others: [] });
  },
  120_000,
);
