import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const SIGNED_TOKEN = /eyJ[\w-]{8,}\.eyJ[\w-]{8,}\./;
const CANARY = /canary-[\w-]+/i;
const SERVICE_TOKEN = /\b[sb]\.[\w-]{24,}/;

/** Fails the run when an answer or log line of the whole suite holds a secret. */
export default function teardown(): void {
  const directory = process.env['EVIDENCE_DIRECTORY'];
  if (directory === undefined) return;
  const leaks: string[] = [];
  for (const file of readdirSync(directory)) {
    // Answers may hold service tokens: that is what logins are for.
    const patterns = file.startsWith('log-') ? [SIGNED_TOKEN, CANARY, SERVICE_TOKEN] : [SIGNED_TOKEN, CANARY];
    for (const line of readFileSync(join(directory, file), 'utf8').split('\n')) {
      if (patterns.some((pattern) => pattern.test(line))) leaks.push(`${file}: ${line.slice(0, 400)}`);
    }
  }
  rmSync(directory, { recursive: true });
  if (leaks.length > 0) {
    throw new Error(
      `${leaks.length} answers or log lines of the suite hold a secret:\n${leaks.slice(0, 20).join('\n')}`,
    );
  }
}
