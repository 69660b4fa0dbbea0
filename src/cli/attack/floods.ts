import { randomUUID } from 'node:crypto';
import type { Arena } from './arena.js';
import type { Attack, AttackGroup } from './attack.js';
import { forgerOf } from './forger.js';
import type { Refusal } from './refusal.js';

const TOKENS = 50;

/**
 * An attack by many tokens with key ids that nobody knows, at a mount of its own, while a machine logs in there.
 *
 * @param isWarm - whether the machine has logged in there before
 */
function flood(title: string, mount: string, isWarm: boolean): Attack {
  return {
    title: `${TOKENS} tokens with unknown key ids, ${title}`,
    refusedBy: 'token-key',
    attempt: async (arena) => {
      const { web } = arena.inhabitants;
      const forger = await forgerOf(arena);
      const genuine = await arena.loginOf({ from: web, as: web });
      await arena.mount(mount);
      arena.cloud.resetCalls();
      if (isWarm) await arena.logIn(genuine, mount);
      const forged = Array.from({ length: TOKENS }, () => forger.withHeader({ kid: randomUUID() }));
      const [refusals] = await Promise.all([
        Promise.all(forged.map((jwt) => arena.refusalOf({ ...genuine, jwt }, mount))),
        arena.logIn(genuine, mount),
      ]);
      return refusals.find((refusal) => refusal?.by !== 'token-key') ?? costOf(arena, refusals);
    },
  };
}

/** Nothing refused the flood if it made the method ask for the keys more often than the machine alone would have. */
function costOf({ cloud }: Arena, refusals: readonly (Refusal | undefined)[]): Refusal | undefined {
  const fetches = cloud.calls({ path: /\/discovery\/keys$/ }).length;
  if (refusals.includes(undefined) || fetches !== 1) return undefined;
  return { by: 'token-key', note: 'the key set was fetched once, and another login went on' };
}

/** A11: tokens that make the method ask for keys. */
export const FLOODS: AttackGroup = {
  id: 'A11',
  title: 'a flood that is to keep the method busy asking for keys',
  attacks: [
    flood('before anybody has logged in', 'flood-cold', false),
    flood('once the keys are known', 'flood-warm', true),
  ],
  legitimate: { title: 'the machine itself logs in', pose: ({ web }) => ({ from: web, as: web }) },
};
