import { describe, expect, test } from '@jest/globals';
import { integerField, stringField } from '../../src/framework/field.js';
import { fieldReader } from '../../src/framework/read-fields.js';
import { refused } from '../support/refused.js';

const read = fieldReader(
  {
    name: stringField({ description: 'A name.' }),
    count: integerField({ description: 'A count.', default: 3 }),
  },
  ['role'],
);
const readRequired = fieldReader({ jwt: stringField({ description: 'A token.', required: true, secret: true }) }, []);

/** A body as it comes off the wire: JSON makes `__proto__` an own property. */
function body(json: string): Record<string, unknown> {
  return JSON.parse(json) as Record<string, unknown>;
}

describe('a field that is not given', () => {
  test('is left out, its default too', () => {
    expect(Object.keys(read({}, []))).toEqual([]);
  });

  test.each([null, undefined])('may be given as %p', (nothing) => {
    expect(Object.keys(read({ name: nothing, count: nothing }, []))).toEqual([]);
  });

  test.each([{}, { jwt: null }])('is an error when it is required: %j', (data) => {
    expect(() => readRequired(data, [])).toThrow(
      expect.objectContaining(
        refused('invalid_request', 'jwt: is required; takes text of at most 2048 characters', 'jwt'),
      ),
    );
  });

  test('is an error when it is required and empty, without a word of what a secret was', () => {
    expect(() => readRequired({ jwt: '' }, [])).toThrow('jwt: got an empty text; takes text');
  });

  test('cannot be supplied by a prototype', () => {
    const inherited = Object.create({ jwt: 'canary-inherited' }) as Record<string, unknown>;
    expect(() => readRequired(inherited, [])).toThrow('jwt: is required');
  });
});

describe('unknown fields', () => {
  test('are ignored, with one warning that quotes their names', () => {
    const warnings: string[] = [];
    expect(read({ name: 'a', nmae: 'b', 'new\nline': 1 }, warnings)).toEqual({ name: 'a' });
    expect(warnings).toEqual(['unknown fields were ignored: "nmae", "new\\nline"']);
  });

  test('are named without their values', () => {
    const warnings: string[] = [];
    read({ password: 'canary-value' }, warnings);
    expect(warnings.join()).not.toContain('canary');
  });

  test('make a bounded warning, however many and long they are', () => {
    const warnings: string[] = [];
    const many = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`${index}-${'x'.repeat(1000)}`, 1]));
    read(many, warnings);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toMatch(/ and 9990 more$/);
    expect(warnings[0]!.length).toBeLessThan(1_000);
  });

  test('that the path itself supplies are ignored without a warning', () => {
    const warnings: string[] = [];
    read({ role: 'dev' }, warnings);
    expect(warnings).toEqual([]);
  });

  test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf'])(
    '%s is one like any other (A14)',
    (name) => {
      const warnings: string[] = [];
      const values = read(body(`{ "name": "a", ${JSON.stringify(name)}: { "count": 9, "polluted": true } }`), warnings);
      expect(values).toEqual({ name: 'a' });
      expect(values.count).toBeUndefined();
      expect(warnings).toEqual([`unknown fields were ignored: "${name}"`]);
      expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    },
  );
});

test.each(['__proto__', 'constructor'])('a required field cannot be met by %s (A14)', (name) => {
  expect(() => readRequired(body(`{ ${JSON.stringify(name)}: { "jwt": "canary-inherited" } }`), [])).toThrow(
    'jwt: is required',
  );
});

test('nested prototype keys inside a value do not get through its shape', () => {
  expect(() => read(body('{ "name": { "__proto__": { "length": 1 } } }'), [])).toThrow(
    'name: got a value of type object; takes text',
  );
});
