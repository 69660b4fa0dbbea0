import { describe, expect, test } from '@jest/globals';
import type { Operation, Request } from '../../src/contract/index.js';
import { stringField } from '../../src/framework/field.js';
import type { Fields } from '../../src/framework/field.js';
import { definePath } from '../../src/framework/path.js';
import type { Call } from '../../src/framework/path.js';
import { Router } from '../../src/framework/router.js';
import { refused } from '../support/refused.js';

const name = { description: 'Name.', pattern: /^[a-z]+$/, takes: 'small letters' };
const help = { synopsis: 'Synopsis.', description: 'Description.' };

/** A router whose handlers answer with what they were called with. */
function router(): Router {
  const echo = ({ parameters, values }: Call<Fields>) => Promise.resolve({ data: { parameters, values } });
  return new Router([
    definePath({
      pattern: 'role/:name',
      parameters: { name },
      fields: { color: stringField({ description: 'Color.' }) },
      exists: ({ name: given }) => Promise.resolve(given === 'dev'),
      operations: {
        write: { summary: 'Write.', handle: echo },
        read: { summary: 'Read.', handle: () => Promise.resolve(undefined) },
        renew: { summary: 'Renew.', handle: echo },
        'resolve-role': { summary: 'Resolve.', handle: echo },
      },
      help,
    }),
    definePath({ pattern: 'role', fields: {}, operations: { list: { summary: 'List.', handle: echo } }, help }),
  ]);
}

function request(path: string, operation: Operation = 'update', data?: Request['data']): Request {
  return { id: 'request-1', operation, path, ...(data && { data }) };
}

describe('a path', () => {
  test.each([
    ['role/dev', 'role/:name'],
    ['role/dev/', 'role/:name'],
    ['role', 'role'],
    ['role/', 'role'],
    ['role/..', 'role/:name'],
    ['role/__proto__', 'role/:name'],
  ])('%j matches %s', (path, pattern) => {
    expect(router().match(path)?.definition.pattern).toBe(pattern);
  });

  test.each([
    ['', 'nothing'],
    ['/', 'nothing'],
    ['/role', 'a leading slash'],
    ['role//', 'two trailing slashes'],
    ['role/dev//', 'two trailing slashes'],
    ['role//dev', 'an empty segment'],
    ['role/dev/more', 'a segment too many'],
    ['roles', 'a longer segment'],
    ['rol', 'a shorter segment'],
    ['Role/dev', 'another case'],
    ['r%6Fle/dev', 'an escape'],
    ['role%2Fdev', 'an escaped slash'],
    ['*', 'a wildcard'],
    ['role\\dev', 'a backslash'],
    [':name', 'a pattern'],
    ['__proto__', 'a prototype'],
    ['constructor', 'a constructor'],
  ])('%j matches nothing: %s', async (path) => {
    expect(router().match(path)).toBeUndefined();
    await expect(router().serve(request(path))).rejects.toMatchObject(
      refused('not_found', `no such path: ${JSON.stringify(path)}`),
    );
  });

  test('that is long is not repeated whole', async () => {
    const error: unknown = await router()
      .serve(request('x'.repeat(100_000)))
      .catch((thrown: unknown) => thrown);
    expect((error as Error).message.length).toBeLessThan(100);
  });
});

describe('a parameter', () => {
  test.each(['create', 'update'] as const)('is handed to the handler of a %s, undecoded', async (operation) => {
    expect(await router().serve(request('role/dev', operation))).toEqual({
      data: { parameters: { name: 'dev' }, values: {} },
    });
  });

  test.each(['DEV', 'a%20b', '..', '__proto__', 'a b', 'a\nb'])('must match its pattern: %j', async (given) => {
    const error = refused('invalid_request', `name: got ${JSON.stringify(given)}; takes small letters`, 'name');
    await expect(router().serve(request(`role/${given}`))).rejects.toMatchObject(error);
    await expect(router().exists(`role/${given}`)).rejects.toMatchObject(error);
  });

  test('cannot be overridden by the body', async () => {
    expect(await router().serve(request('role/dev', 'update', { name: 'prod' }))).toEqual({
      data: { parameters: { name: 'dev' }, values: {} },
    });
  });
});

describe('an operation', () => {
  test.each(['delete', 'list', 'alias-lookahead', 'help', 'rollback'] as const)(
    'that the path does not take is refused: %s',
    async (operation) => {
      await expect(router().serve(request('role/dev', operation))).rejects.toMatchObject(
        refused('unsupported_operation', `role/:name does not take ${operation}`),
      );
    },
  );

  test.each(['constructor', '__proto__', 'toString'])('is one of the known ones: not %s (A14)', async (operation) => {
    await expect(router().serve(request('role/dev', operation as Operation))).rejects.toMatchObject({
      code: 'unsupported_operation',
    });
  });

  test('that the path does not take is refused before its parameters are looked at', async () => {
    await expect(router().serve(request('role/NOT A NAME', 'delete'))).rejects.toMatchObject({
      code: 'unsupported_operation',
    });
  });

  test('may answer nothing', async () => {
    expect(await router().serve(request('role/dev', 'read'))).toBeUndefined();
  });
});

describe('a body', () => {
  test.each(['update', 'resolve-role'] as const)('is read by the path’s fields on %s', async (operation) => {
    const served = router().serve(request('role/dev', operation, { color: 7 }));
    await expect(served).rejects.toMatchObject(refused('invalid_request', /^color: got 7; takes text/, 'color'));
  });

  test.each(['read', 'renew'] as const)('is not looked at on %s', async (operation) => {
    await expect(router().serve(request('role/dev', operation, { color: 7 }))).resolves.not.toThrow();
  });

  test('with unknown fields gives a warning, beside the answer', async () => {
    expect(await router().serve(request('role/dev', 'update', { color: 'red', colour: 'red' }))).toEqual({
      data: { parameters: { name: 'dev' }, values: { color: 'red' } },
      warnings: ['unknown fields were ignored: "colour"'],
    });
  });
});

describe('whether something exists', () => {
  test.each([
    ['role/dev', true],
    ['role/prod', false],
    ['role', undefined],
    ['nowhere', undefined],
  ])('%s: %p', async (path, exists) => {
    expect(await router().exists(path)).toBe(exists);
  });
});
