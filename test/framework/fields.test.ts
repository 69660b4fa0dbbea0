import { describe, expect, test } from '@jest/globals';
import {
  booleanField,
  choiceField,
  cidrListField,
  durationField,
  integerField,
  listField,
  stringField,
} from '../../src/framework/field.js';
import type { Field } from '../../src/framework/field.js';
import { fieldReader } from '../../src/framework/read-fields.js';
import { refused } from '../support/refused.js';

const description = 'A field.';
const long = 'x'.repeat(100);
const TEXT = 'text of at most 5 characters';
const INTEGER = 'a whole number from 1 to 10';
const DURATION = 'whole seconds or a duration such as "1h30m", from 5 to 9223372036 seconds';
const CIDRS = 'an array or a comma-delimited text of addresses or blocks such as "10.0.0.0/8" or "2001:db8::/32"';

interface Kind {
  readonly kind: string;
  readonly field: Field;
  readonly accepted: readonly (readonly [raw: unknown, value: unknown])[];
  /** What was given, and how the message shows it. */
  readonly refusals: readonly (readonly [raw: unknown, got: string])[];
  readonly takes: string;
}

const KINDS: readonly Kind[] = [
  {
    kind: 'string',
    field: stringField({ description, maxLength: 5 }),
    accepted: [
      ['abcde', 'abcde'],
      ['', ''],
      [' a ', ' a '],
    ],
    refusals: [
      ['abcdef', '"abcdef"'],
      [long, `"${'x'.repeat(64)}"...`],
      ['new\nline', '"new\\nline"'],
      ['two\u2028lines', '"two\\u{2028}lines"'],
      ['\u009b31m red', '"\\u{9b}31m red"'],
      ['\u202egnirts', '"\\u{202e}gnirts"'],
      [['\u202egnirts', '\u2028'], "[ '\\u{202e}gnirts', '\\u{2028}' ]"],
      [1, '1'],
      [true, 'true'],
      [{ a: 1 }, 'a value of type object'],
      [['a'], "[ 'a' ]"],
      [['a', 1, { b: [] }], "[ 'a', 1, [Object] ]"],
    ],
    takes: TEXT,
  },
  {
    kind: 'string with a pattern',
    field: stringField({ description, pattern: /^[a-z]+$/, takes: 'small letters' }),
    accepted: [
      ['abc', 'abc'],
      ['', ''],
    ],
    refusals: [
      ['ABC', '"ABC"'],
      ['abc\n', '"abc\\n"'],
    ],
    takes: 'small letters',
  },
  {
    kind: 'required string',
    field: stringField({ description, required: true, maxLength: 5 }),
    accepted: [['a', 'a']],
    refusals: [['', '""']],
    takes: TEXT,
  },
  {
    kind: 'secret string',
    field: stringField({ description, secret: true, maxLength: 20, pattern: /^\S*$/, takes: 'a secret' }),
    accepted: [['canary-short', 'canary-short']],
    refusals: [
      ['canary-blank inside', 'a text of 19 characters'],
      ['canary-much-too-long-for-this', 'a text of 29 characters'],
      [['canary-in-a-list'], 'an array'],
      [{ canary: 'canary-in-an-object' }, 'a value of type object'],
      [20_261_122, 'a value of type number'],
    ],
    takes: 'a secret',
  },
  {
    kind: 'choice',
    field: choiceField({ description, choices: ['', 'service', 'batch'] }),
    accepted: [
      ['', ''],
      ['batch', 'batch'],
    ],
    refusals: [
      ['Batch', '"Batch"'],
      ['toString', '"toString"'],
      [['batch'], "[ 'batch' ]"],
      [0, '0'],
    ],
    takes: 'one of "", "service", "batch"',
  },
  {
    kind: 'integer',
    field: integerField({ description, minimum: 1, maximum: 10 }),
    accepted: [
      [1, 1],
      [10, 10],
      ['7', 7],
      ['007', 7],
      [3.0, 3],
    ],
    refusals: [
      [0, '0'],
      [11, '11'],
      [-1, '-1'],
      [1.5, '1.5'],
      [1e300, '1e+300'],
      ['1.5', '"1.5"'],
      ['1e1', '"1e1"'],
      ['0x7', '"0x7"'],
      [' 7', '" 7"'],
      ['', '""'],
      ['99999999999999999999', '"99999999999999999999"'],
      [true, 'true'],
      [[7], '[ 7 ]'],
    ],
    takes: INTEGER,
  },
  {
    kind: 'boolean',
    field: booleanField({ description }),
    accepted: [
      [true, true],
      [false, false],
      ['true', true],
      ['false', false],
    ],
    refusals: [
      ['yes', '"yes"'],
      ['True', '"True"'],
      ['', '""'],
      [1, '1'],
      [0, '0'],
      [[true], '[ true ]'],
    ],
    takes: 'true or false',
  },
  {
    kind: 'duration',
    field: durationField({ description, minimum: 5 }),
    accepted: [
      [5, 5],
      ['1h30m', 5_400],
      ['60', 60],
      [0, 0],
      ['0s', 0],
      ['', 0],
      [9_223_372_036, 9_223_372_036],
    ],
    refusals: [
      [4, '4'],
      ['4s', '"4s"'],
      [-5, '-5'],
      [5.5, '5.5'],
      ['5500ms', '"5500ms"'],
      [9_223_372_037, '9223372037'],
      ['1 hour', '"1 hour"'],
      ['1s'.repeat(33), `"${'1s'.repeat(32)}"...`],
      [true, 'true'],
      [[5], '[ 5 ]'],
    ],
    takes: DURATION,
  },
  {
    kind: 'duration with fractions',
    field: durationField({ description, fractions: true }),
    accepted: [
      ['1500ms', 1.5],
      ['1ms', 0.001],
      [2, 2],
    ],
    refusals: [
      [1.5, '1.5'],
      ['1.5s', '"1.5s"'],
    ],
    takes: 'whole seconds or a duration such as "1h30m", of at most 9223372036 seconds',
  },
  {
    kind: 'list',
    field: listField({ description, pattern: /^\w+$/ }),
    accepted: [
      [
        ['a', 'b'],
        ['a', 'b'],
      ],
      ['a, b ,,a', ['a', 'b']],
      [[' a ', 'a'], ['a']],
      ['a,,b', ['a', 'b']],
      ['', []],
      [[], []],
    ],
    refusals: [
      ['a,b c', '"a,b c"'],
      [['a', 'b,c'], "[ 'a', 'b,c' ]"],
      [['a', ''], "[ 'a', '' ]"],
      [[' '], "[ ' ' ]"],
      [['a', 1], "[ 'a', 1 ]"],
      [['a', null], "[ 'a', null ]"],
      [[['a']], '[ [Array] ]'],
      [['x'.repeat(2049)], `[ '${'x'.repeat(64)}'... 1985 more characters ]`],
      [['!', '2', '3', '4', '5', '6', '7'], "[ '!', '2', '3', '4', '5', ... 2 more items ]"],
      [{ 0: 'a', length: 1 }, 'a value of type object'],
      [7, '7'],
    ],
    takes: 'an array of texts or a comma-delimited text',
  },
  {
    kind: 'lower-case list',
    field: listField({ description, lowerCase: true }),
    accepted: [
      [
        ['Dev', 'DEV', 'prod'],
        ['dev', 'prod'],
      ],
    ],
    refusals: [],
    takes: '',
  },
  {
    kind: 'CIDR list',
    field: cidrListField({ description }),
    accepted: [
      ['10.0.0.0/8, ::1', ['10.0.0.0/8', '::1']],
      [['10.0.0.1', '10.0.0.1'], ['10.0.0.1']],
      ['', []],
    ],
    refusals: [
      ['10.0.0.0/33', '"10.0.0.0/33"'],
      [['10.0.0.0/8', 'anywhere'], "[ '10.0.0.0/8', 'anywhere' ]"],
      [[1], '[ 1 ]'],
    ],
    takes: CIDRS,
  },
];

describe.each(KINDS)('a $kind', ({ field, accepted, refusals, takes }) => {
  const read = fieldReader({ the_field: field }, []);

  test.each(accepted)('reads %j as %j', (raw, value) => {
    expect(read({ the_field: raw }, [])).toEqual({ the_field: value });
  });

  if (refusals.length === 0) return;
  test.each(refusals)('refuses %j, and says what it got and what it takes', (raw, got) => {
    expect(() => read({ the_field: raw }, [])).toThrow(
      expect.objectContaining(refused('invalid_request', `the_field: got ${got}; takes ${takes}`, 'the_field')),
    );
  });
});
