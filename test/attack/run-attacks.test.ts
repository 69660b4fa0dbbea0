import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Arena } from '../../src/cli/attack/arena.js';
import { login } from '../../src/cli/attack/attack.js';
import type { Attack, AttackGroup, LegitimateLogin } from '../../src/cli/attack/attack.js';
import { runAttacks, tryAttack, tryLegitimate } from '../../src/cli/attack/run-attacks.js';

let arena: Arena;

beforeAll(async () => {
  arena = await Arena.start();
});

afterAll(() => arena.close());

const REFUSED = login('web-2 as web', 'token-proves-resource', ({ web2, web }) => ({ from: web2, as: web }));
/** The role asks for the principal alone, whatever the login names. */
const GETS_IN = login('web-2 as web, with a role of its principal', 'token-proves-resource', ({ web2, web }) => ({
  from: web2,
  as: web,
  fields: { role: 'principals' },
}));
const REFUSED_BY_ANOTHER: Attack = { ...REFUSED, title: 'web-2 as web, for another reason', refusedBy: 'token-key' };

const GRANTED: LegitimateLogin = { title: 'web logs in', pose: ({ web }) => ({ from: web, as: web }) };
const LOCKED_OUT: LegitimateLogin = {
  title: 'web logs in as web-2',
  pose: ({ web, web2 }) => ({ from: web, as: web2 }),
};

function group(id: string, attacks: readonly Attack[], legitimate: LegitimateLogin): AttackGroup {
  return { id, title: 'something', attacks, legitimate };
}

describe('one attack', () => {
  test('that is refused by what must refuse it', async () => {
    expect(await tryAttack(REFUSED, arena)).toEqual({ isRight: true, outcome: 'refused: token-proves-resource' });
  });

  test('that gets in is noticed', async () => {
    expect(await tryAttack(GETS_IN, arena)).toEqual({ isRight: false, outcome: 'NOT REFUSED' });
  });

  test('that is refused by something else is noticed', async () => {
    expect(await tryAttack(REFUSED_BY_ANOTHER, arena)).toEqual({
      isRight: false,
      outcome: 'REFUSED BY ANOTHER: token-proves-resource instead of token-key',
    });
  });
});

describe('one legitimate login', () => {
  test('that is granted', async () => {
    expect(await tryLegitimate(GRANTED, arena)).toEqual({ isRight: true, outcome: 'granted' });
  });

  test('that is refused is noticed', async () => {
    expect(await tryLegitimate(LOCKED_OUT, arena)).toEqual({
      isRight: false,
      outcome: 'NOT GRANTED: refused (403): the token does not come from the virtual machine named by vm_name',
    });
  });
});

test('many attacks are counted, with a line for each', async () => {
  const lines: string[] = [];
  const groups = [group('X1', [REFUSED, GETS_IN], GRANTED), group('X2', [REFUSED_BY_ANOTHER], LOCKED_OUT)];
  const tally = await runAttacks(groups, arena, (line) => lines.push(line));
  expect(tally).toEqual({ attacks: 3, refused: 1, lockedOut: ['X2'] });
  expect(lines.map((line) => line.trim().replace(/ {2,}/g, ' | '))).toEqual([
    'X1 | something',
    'X1 | web-2 as web | refused: token-proves-resource',
    'X1 | web-2 as web, with a role of its principal | NOT REFUSED',
    'and web logs in | granted',
    'X2 | something',
    'X2 | web-2 as web, for another reason | REFUSED BY ANOTHER: token-proves-resource instead of token-key',
    'and web logs in as web-2 | NOT GRANTED: refused (403): the token does not come from the virtual machine named by vm_name',
  ]);
});
