import { appendFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Keeps what the suite's servers answered and logged, for the check that runs after all tests: no secret is in it.
 * Secrets that tests make up begin with `canary-`, so that the check can tell them.
 */
export function recordEvidence(kind: 'answer' | 'log', text: string): void {
  const directory = process.env['EVIDENCE_DIRECTORY'];
  if (directory === undefined) throw new Error('the suite was started without its global setup');
  appendFileSync(join(directory, `${kind}-${process.pid}`), `${text}\n`);
}
