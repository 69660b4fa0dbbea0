import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ATTACKS } from '../../src/cli/attack/attack-table.js';
import { Arena } from '../../src/cli/attack/arena.js';
import { tryAttack, tryLegitimate } from '../../src/cli/attack/run-attacks.js';

let arena: Arena;

beforeAll(async () => {
  arena = await Arena.start();
});

afterAll(() => arena.close());

describe.each(ATTACKS)('$id: $title', ({ attacks, legitimate }) => {
  test.each(attacks)('$title: refused by $refusedBy', async (attack) => {
    expect(await tryAttack(attack, arena)).toEqual({
      isRight: true,
      outcome: expect.stringMatching(/^refused: /) as unknown,
    });
  });

  test(`while ${legitimate.title}`, async () => {
    expect(await tryLegitimate(legitimate, arena)).toEqual({ isRight: true, outcome: 'granted' });
  });
});

test('the table has every attack of the rules and those found since, each with variants', () => {
  expect(ATTACKS.map(({ id }) => id)).toEqual(Array.from({ length: 19 }, (_, index) => `A${index + 1}`));
  for (const { attacks } of ATTACKS) {
    expect(attacks.length).toBeGreaterThan(1);
    expect(new Set(attacks.map(({ title }) => title)).size).toBe(attacks.length);
  }
});
