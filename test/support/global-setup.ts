import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export default function setup(): void {
  process.env['EVIDENCE_DIRECTORY'] = mkdtempSync(join(tmpdir(), 'evidence-'));
}
