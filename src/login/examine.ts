import type { LoginRule } from './rule.js';

/** What became of one rule. `not reached`: an earlier rule refused. */
export type Outcome = 'passed' | 'failed' | 'not needed' | 'not reached';

/** One line of an explanation, for operators. */
export interface RuleReport {
  readonly rule: string;
  readonly outcome: Outcome;
  /** Of a rule that failed: what the login showed. */
  readonly seen?: string;
  /** Of a rule that failed: what it wants. */
  readonly wanted?: string;
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
    for (const rule of rules) {
      const verdict = this.#failed || facts === undefined ? 'not reached' : rule.check(facts);
      if (typeof verdict === 'string') this.#reports.push({ rule: rule.name, outcome: verdict });
      else this.#fail(rule.name, verdict.seen, verdict.wanted);
    }
  }

  /**
   * Notes rules that were applied elsewhere, in their order.
   *
   * @param result - the one that refused, with its sentence; `passed` when none did; absent when they could not be applied
   */
  note(
    rules: readonly string[],
    result: 'passed' | { readonly rule: string; readonly sentence: string } | undefined,
  ): void {
    for (const rule of rules) {
      if (this.#failed || result === undefined) this.#reports.push({ rule, outcome: 'not reached' });
      else if (result !== 'passed' && rule === result.rule) this.#fail(rule, result.sentence, 'a token that passes');
      else this.#reports.push({ rule, outcome: 'passed' });
    }
  }

  #fail(rule: string, seen: string, wanted: string): void {
    this.#failed = true;
    this.#reports.push({ rule, outcome: 'failed', seen, wanted });
  }
}
