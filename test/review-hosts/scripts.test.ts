import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { runCli } from '../support/cli.js';

const ROOT = join(import.meta.dirname, '../..');
let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'scripts-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

describe('.ci/run', () => {
  it.each([
    ['fails without having counted anything', 'echo broken; exit 2', 1, '0 passed, 2 failed'],
    ['counts and fails afterwards', 'echo 3 passed, 0 failed; exit 1', 1, '6 passed, 2 failed'],
    ['passes', 'echo 3 passed, 0 failed', 0, '6 passed, 0 failed'],
  ])('says so when a check %s', (_, npm, code, summary) => {
    mkdirSync(join(directory, '.ci'));
    cpSync(join(ROOT, '.ci/run'), join(directory, '.ci/run'));
    mkdirSync(join(directory, 'bin'));
    // `npm ci` is the same for all, and Python is there.
    const script = `#!/bin/sh\nif [ "$1" = ci ]; then exit 0; fi\n${npm}\n`;
    writeFileSync(join(directory, 'bin/npm'), script, { mode: 0o755 });
    writeFileSync(join(directory, 'bin/python3'), '#!/bin/sh\n', { mode: 0o755 });
    const env = { ...process.env, PATH: `${join(directory, 'bin')}:${process.env['PATH'] ?? ''}` };
    const { status, stdout } = spawnSync('bash', [join(directory, '.ci/run')], { env, encoding: 'utf8' });
    expect(stdout.trim().split('\n').at(-1)).toBe(summary);
    expect(status).toBe(code);
  });
});

describe('the command line', () => {
  it('ends without a stack trace when its reader goes away', async () => {
    const child = spawn(process.execPath, [join(ROOT, 'dist/cli.js'), 'demo'], { stdio: ['ignore', 'pipe', 'pipe'] });
    let errors = '';
    child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
    child.stdout.once('data', () => child.stdout.destroy());
    const [code] = (await once(child, 'close')) as [number | null];
    expect({ code, errors }).toEqual({ code: 1, errors: '' });
  });

  it('looks at the address of a login before it asks for a token', async () => {
    const { code, stderr } = await runCli([
      'login',
      '--address',
      'nope',
      '--role',
      'r',
      '--resource',
      'x',
      '--metadata-url',
      'http://127.0.0.1:9',
    ]);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('--address: got "nope"') });
  });
});
