import type { Arena } from './arena.js';
import type { PoseOf } from './pose.js';
import type { Refusal } from './refusal.js';

/** One attack: what is tried, and what is to refuse it. */
export interface Attack {
  readonly title: string;
  /** What must refuse it. A refusal by anything else is a failure too: the attack would not show what it is meant to. */
  readonly refusedBy: string;
  /** Tries it. `undefined` when nothing refused it. */
  readonly attempt: (arena: Arena) => Promise<Refusal | undefined>;
}

/** A login that must be granted. */
export interface LegitimateLogin {
  readonly title: string;
  readonly pose: PoseOf;
}

/** Attacks of one kind, and the login next to them that must go through. */
export interface AttackGroup {
  /** For instance `A1`. */
  readonly id: string;
  readonly title: string;
  readonly attacks: readonly Attack[];
  readonly legitimate: LegitimateLogin;
}

/** An attack by a login with a token that the directory issued. */
export function login(title: string, refusedBy: string, pose: PoseOf): Attack {
  return {
    title,
    refusedBy,
    attempt: async (arena) => arena.refusalOf(await arena.loginOf(pose(arena.inhabitants))),
  };
}
