import { CommandFailure } from '../command-failure.js';
import { member } from '../json-exchange.js';
import type { HttpAnswer } from './http-call.js';

/**
 * The text in an answer at the end of that path.
 * @throws CommandFailure when there is none.
 */
export function textAt({ body }: HttpAnswer, ...path: readonly string[]): string {
  const value = path.reduce<unknown>(member, body);
  if (typeof value !== 'string') throw new CommandFailure(`the answer lacks ${path.join('.')}`);
  return value;
}

/**
 * The list of texts in an answer at the end of that path.
 * @throws CommandFailure when there is none.
 */
export function listAt({ body }: HttpAnswer, ...path: readonly string[]): readonly string[] {
  const value = path.reduce<unknown>(member, body);
  if (!Array.isArray(value)) throw new CommandFailure(`the answer lacks ${path.join('.')}`);
  return value as string[];
}
