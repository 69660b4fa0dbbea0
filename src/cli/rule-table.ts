import { member, printable } from './json-exchange.js';

const COLUMNS = ['rule', 'outcome', 'seen', 'wanted'];
/** Characters up to which a column is as wide as its longest text. Longer texts, such as resource ids, stick out. */
const MAX_WIDTH = 40;

/** What a server says of the rules of a login, as a table for a terminal. */
export function ruleTable(rules: readonly unknown[]): string {
  const rows = [COLUMNS, ...rules.map((rule) => COLUMNS.map((column) => printable(member(rule, column))))];
  const widths = COLUMNS.map((_, index) => columnWidth(rows.map((row) => row[index] ?? '')));
  const line = (row: readonly string[]): string => row.map((text, index) => text.padEnd(widths[index] ?? 0)).join('  ');
  return rows.map((row) => `${line(row).trimEnd()}\n`).join('');
}

function columnWidth(texts: readonly string[]): number {
  return Math.max(...texts.map(({ length }) => length).filter((length) => length <= MAX_WIDTH));
}
