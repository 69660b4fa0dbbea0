import { legible } from './legible.js';
import type { Evidence, LoginRule } from './rule.js';

/** What became of one rule. `not reached`: an earlier rule refused. */
export type Outcome = 'passed' | 'failed' | 'not needed' | 'not reached';

/** One line of an explanation, for operators. Values are bounded and free of control characters. */
export interface RuleReport {
  readonly rule: string;
  readonly outcome: Outcome;
  /** Of a rule that was applied: what the login showed. */
  readonly seen?: string;
  /** Of a rule that was applied: what it wants. */
  readonly wanted?: string;
}

/** What came of rules that were applied elsewhere. */
export interface AppliedRules {
  /** Name of the one that refused; absent when none did. */
  readonly refusedBy?: string;
  /** What is known of them, by their names. */
  readonly evidence: ReadonlyMap<string, Partial<Evidence>>;
}

/** Writes down what becomes of each rule of a login, in order. Once one has failed, the others are not reached. */
export class Examination {
  readonly #reports: RuleReport[] = [];
  #failed = false;

  get reports(): readonly RuleReport[] {
    return this.#reports;
  }

  /** Whether no rule has failed so far. */
  get goesOn(): boolean {
    return !this.#failed;
  }

  /** Applies rules to the facts; without facts, none of them is reached. */
  examine<Facts>(rules: readonly LoginRule<Facts>[], facts: Facts | undefined): void {
    for (const { name, check, show } of rules) {
      if (this.#failed || facts === undefined) {
        this.#report(name, 'not reached');
        continue;
      }
      const verdict = check(facts);
      if (verdict === 'not needed') this.#report(name, verdict);
      else this.#report(name, verdict === 'passed' ? verdict : 'failed', show(facts));
    }
  }

  /** Notes rules that were applied elsewhere, in their order; without their outcome, none of them is reached. */
  note(rules: readonly string[], applied: AppliedRules | undefined): void {
    for (const rule of rules) {
      if (this.#failed || applied === undefined) this.#report(rule, 'not reached');
      else this.#report(rule, rule === applied.refusedBy ? 'failed' : 'passed', applied.evidence.get(rule));
    }
  }

  #report(rule: string, outcome: Outcome, evidence: Partial<Evidence> = {}): void {
    this.#failed ||= outcome === 'failed';
    const { seen, wanted } = evidence;
    this.#reports.push({
      rule,
      outcome,
      ...(seen !== undefined && { seen: legible(seen || 'none') }),
      ...(wanted !== undefined && { wanted: legible(wanted || 'none') }),
    });
  }
}
