import { member } from '../json-exchange.js';
import type { JsonAnswer } from '../json-exchange.js';

/** What refused an attack. */
export interface Refusal {
  /** The login rule, the request field, or what else the server says. */
  readonly by: string;
  /** What else was seen while it was tried. */
  readonly note?: string;
}

const FIELD = /^([a-z_]+): /;

/** What a refusal of a malformed request names: the field at fault, or else its whole sentence. */
export function refusalIn({ body }: JsonAnswer): Refusal {
  const sentence = sentenceOf(body);
  return { by: FIELD.exec(sentence)?.[1] ?? sentence };
}

/** The rule that failed, of an explanation. */
export function failedRuleIn({ body }: JsonAnswer): Refusal {
  const rules = member(member(body, 'data'), 'rules');
  const failed: unknown = Array.isArray(rules) ? rules.find((rule) => member(rule, 'outcome') === 'failed') : undefined;
  const by = member(failed, 'rule');
  return { by: typeof by === 'string' ? by : 'nothing that the explanation names' };
}

/** The sentence that a caller is told. */
export function sentenceOf(body: unknown): string {
  const errors = member(body, 'errors');
  return Array.isArray(errors) && typeof errors[0] === 'string' ? errors[0] : 'no reason given';
}
