import { expect, test } from '@jest/globals';
import { ATTACKS } from '../../src/cli/attack/attack-table.js';
import { runCli } from '../support/cli.js';

const COUNT = ATTACKS.reduce((count, { attacks }) => count + attacks.length, 0);

test('demo --attack refuses every attack of the table, in plain text when piped', async () => {
  const { code, stdout, stderr } = await runCli(['demo', '--attack']);
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(new RegExp(`\\n${COUNT} attacks, ${COUNT} refused\\n$`));
  expect(stdout.match(/^A\d+ .* refused: /gm)).toHaveLength(COUNT);
  expect(stdout.match(/^ +and .* granted$/gm)).toHaveLength(ATTACKS.length);
  expect(stdout).not.toContain('\u001b');
  // Hundreds of logins, beside other tests.
}, 60_000);

test('demo --attack keeps nothing running', async () => {
  const { code, stdout, stderr } = await runCli(['demo', '--attack', '--keep']);
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(/^error: option '--attack' cannot be used with option '--keep'\n$/);
});
