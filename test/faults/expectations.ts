import { inspect } from 'node:util';
import { expect } from '@jest/globals';
import type { Answer, FaultyHost } from './harness.js';

/** Text in the bodies of failing providers, which nobody must be told. */
export const PROVIDER_TEXT = 'canary-provider-text';

/** Expects that a caller is told to come back, in a sane number of seconds, and that nobody is told what a provider said. */
export function expectOutage(host: FaultyHost, answer: Answer): void {
  expect(answer).toMatchObject({ status: 503, retryAfter: expect.stringMatching(/^[1-9]\d{0,3}$/) as unknown });
  expect(Number(answer.retryAfter)).toBeLessThanOrEqual(3_600);
  expectNothingTold(host, answer);
}

/** Expects neither provider text nor secrets in an answer and in the log, and one error in words of our own. */
export function expectNothingTold(host: FaultyHost, { text }: Answer): void {
  expect(JSON.parse(text)).toEqual({ errors: [expect.stringMatching(/^[A-Z][^{}<>]{10,120}\.$/)] });
  const told = text + inspect(host.logger.lines, { depth: 12, showHidden: true });
  expect(told).not.toMatch(/canary-|AADSTS|<html|eyJ|Bearer /);
  expect(host.logger.lines.some(({ level }) => ['warn', 'error'].includes(level))).toBe(true);
}
