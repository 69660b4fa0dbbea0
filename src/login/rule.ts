import { AuthMethodError } from '../contract/index.js';

/** Why a rule refuses a login. */
export interface Refusal {
  /** One sentence for the caller; names the constraint and holds no secret. */
  readonly sentence: string;
  /** The request field at fault, when the request itself is malformed rather than denied. */
  readonly field?: string;
}

/** Outcome of one rule. */
export type Verdict = 'passed' | 'not needed' | Refusal;

/** What a rule held against each other, for operators. Holds no secret. */
export interface Evidence {
  /** What the login showed; empty = nothing. */
  readonly seen: string;
  /** What the rule wants. */
  readonly wanted: string;
}

/** One rule of the login decision: pure, over what is known when its turn comes. */
export interface LoginRule<Facts> {
  /** Stable name, for logs and explanations. */
  readonly name: string;
  readonly check: (facts: Facts) => Verdict;
  /** Says what it held against each other, where the rule was needed. Logins never ask: they would pay for texts that nobody reads. */
  readonly show: (facts: Facts) => Evidence;
}

/** Applies rules in order and throws at the first that refuses: `invalid_request` for a malformed request, else `login_denied`. */
export function enforce<Facts>(rules: readonly LoginRule<Facts>[], facts: Facts): void {
  for (const { name, check } of rules) {
    const verdict = check(facts);
    if (typeof verdict === 'string') continue;
    const { sentence, field } = verdict;
    if (field !== undefined) throw new AuthMethodError('invalid_request', sentence, { field, rule: name });
    throw new AuthMethodError('login_denied', sentence, { rule: name });
  }
}
