import { expect } from '@jest/globals';
import type { ErrorCode } from '../../src/contract/index.js';

/** What an `AuthMethodError` looks like to a matcher. `field` counts: leave it out for an error that names none. */
export function refused(code: ErrorCode, message: string | RegExp, field?: string): Record<string, unknown> {
  const text: unknown = typeof message === 'string' ? message : expect.stringMatching(message);
  return { name: 'AuthMethodError', code, message: text, field };
}
