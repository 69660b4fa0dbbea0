import { expect, test } from '@jest/globals';
import { ruleTable } from '../../src/cli/rule-table.js';

test('columns are as wide as their texts, and long texts stick out', () => {
  const id = `/subscriptions/${'x'.repeat(60)}`;
  const table = ruleTable([
    { rule: 'token-key', outcome: 'passed' },
    { rule: 'group-bound', outcome: 'failed', seen: 'none', wanted: 'ops' },
    { rule: 'scale-set-bound', outcome: 'failed', seen: id, wanted: 'web' },
  ]);
  expect(table.split('\n')).toEqual([
    'rule             outcome  seen  wanted',
    'token-key        passed',
    'group-bound      failed   none  ops',
    `scale-set-bound  failed   ${id}  web`,
    '',
  ]);
});

test('what a server sends cannot steer the terminal', () => {
  const table = ruleTable([{ rule: 'a\u001b[2J', outcome: 'b\u202ec\nd', seen: { toString: () => 'x' }, wanted: 7 }]);
  expect(table.split('\n')[1]).toBe('a?[2J  b?c?d');
});
