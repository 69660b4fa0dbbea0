import { CommandFailure } from '../command-failure.js';
import type { Arena } from './arena.js';
import type { Attack, AttackGroup, LegitimateLogin } from './attack.js';

/** What came of an attack or of a legitimate login. */
export interface Result {
  /** Whether the attack was refused by what must refuse it, or the legitimate login granted. */
  readonly isRight: boolean;
  /** What happened, in a few words. */
  readonly outcome: string;
}

/** What came of many attacks. */
export interface Tally {
  readonly attacks: number;
  /** Attacks that were refused by what must refuse them. */
  readonly refused: number;
  /** Ids of the groups whose legitimate login was refused. */
  readonly lockedOut: readonly string[];
}

/** Tries one attack. */
export async function tryAttack({ refusedBy, attempt }: Attack, arena: Arena): Promise<Result> {
  const refusal = await attempt(arena);
  if (refusal === undefined) return { isRight: false, outcome: 'NOT REFUSED' };
  const { by, note } = refusal;
  if (by !== refusedBy) return { isRight: false, outcome: `REFUSED BY ANOTHER: ${by} instead of ${refusedBy}` };
  return { isRight: true, outcome: `refused: ${by}${note === undefined ? '' : `; ${note}`}` };
}

/** Tries a login that must be granted. */
export async function tryLegitimate({ pose }: LegitimateLogin, arena: Arena): Promise<Result> {
  try {
    await arena.logIn(await arena.loginOf(pose(arena.inhabitants)));
    return { isRight: true, outcome: 'granted' };
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error;
    return { isRight: false, outcome: `NOT GRANTED: ${error.message}` };
  }
}

/**
 * Tries all attacks, one after another, and after each group its legitimate login.
 *
 * @param write - takes a line for each
 */
export async function runAttacks(
  groups: readonly AttackGroup[],
  arena: Arena,
  write: (line: string) => void,
): Promise<Tally> {
  const titles = groups.flatMap(({ attacks, legitimate }) => [...attacks, legitimate].map(({ title }) => title.length));
  const width = Math.max(...titles) + 'and '.length;
  const lockedOut: string[] = [];
  let attacks = 0;
  let refused = 0;
  for (const group of groups) {
    const { id, legitimate } = group;
    write(`\n${id.padEnd(4)} ${group.title}`);
    for (const attack of group.attacks) {
      const { isRight, outcome } = await tryAttack(attack, arena);
      attacks += 1;
      if (isRight) refused += 1;
      write(`${id.padEnd(4)}   ${attack.title.padEnd(width)}  ${outcome}`);
    }
    const { isRight, outcome } = await tryLegitimate(legitimate, arena);
    if (!isRight) lockedOut.push(id);
    write(`       ${`and ${legitimate.title}`.padEnd(width)}  ${outcome}`);
  }
  return { attacks, refused, lockedOut };
}
