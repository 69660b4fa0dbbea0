import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';

const ROOT = join(import.meta.dirname, '../..');

interface Report {
  summary: { totalCruised: number; violations: { rule: { name: string }; from: string; to: string }[] };
}

function cruise(directory: string): Report {
  const program = join(ROOT, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs');
  const config = join(ROOT, '.dependency-cruiser.json');
  const run = spawnSync(process.execPath, [program, '--config', config, '--output-type', 'json', 'src'], {
    cwd: directory,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  expect(run.stderr).toBe('');
  return JSON.parse(run.stdout) as Report;
}

test('imports go one way, without cycles', () => {
  const { summary } = cruise(ROOT);
  expect(summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} -> ${to}`)).toEqual([]);
  expect(summary.totalCruised).toBeGreaterThan(100);
});

test('an import against the direction, a type import too, is found', () => {
  const copy = mkdtempSync(join(tmpdir(), 'architecture-'));
  try {
    cpSync(join(ROOT, 'src/contract'), join(copy, 'src/contract'), { recursive: true });
    cpSync(join(ROOT, 'src/login'), join(copy, 'src/login'), { recursive: true });
    cpSync(join(ROOT, 'tsconfig.json'), join(copy, 'tsconfig.json'));
    writeFileSync(join(copy, 'src/contract/clock.ts'), "export type { Bound } from '../login/facts.js';\n");
    const found = cruise(copy).summary.violations.map(({ rule }) => rule.name);
    expect(found).toContain('contract-knows-nothing');
    expect(found).toContain('no-cycles');
  } finally {
    rmSync(copy, { recursive: true });
  }
});
