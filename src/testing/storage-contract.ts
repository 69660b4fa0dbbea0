import assert from 'node:assert/strict';
import type { Storage } from '../contract/index.js';

/** The two functions of a test runner that the suite needs: those of jest, vitest, mocha and `node:test` all fit. */
export interface TestRunner {
  readonly describe: (name: string, body: () => void) => unknown;
  readonly it: (name: string, body: () => Promise<void>) => unknown;
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const text = (value: Uint8Array | undefined): string | undefined => value && new TextDecoder().decode(value);

/**
 * Holds an implementation of `Storage` to its contract. For authors of hosts.
 *
 * @param name - what the suite is called
 * @param makeStorage - gives an empty storage for each test
 * @param runner - where the tests go, for instance `{ describe, it }` of the test runner in use
 */
export function runStorageContract(
  name: string,
  makeStorage: () => Storage | Promise<Storage>,
  { describe, it }: TestRunner,
): void {
  const test = (title: string, body: (storage: Storage) => Promise<void>): void => {
    it(title, async () => body(await makeStorage()));
  };
  describe(name, () => {
    valueTests(test);
    listTests(test);
    pageTests(test);
    transactionTests(test);
  });
}

type Test = (title: string, body: (storage: Storage) => Promise<void>) => void;

function valueTests(test: Test): void {
  test('gives undefined for a key that was never written', async (storage) => {
    assert.equal(await storage.get('config'), undefined);
    await storage.put('role/dev', bytes('1'));
    assert.equal(await storage.get('role'), undefined);
    assert.equal(await storage.get('role/de'), undefined);
  });

  test('gives back what was written, any byte included', async (storage) => {
    const every = Uint8Array.from({ length: 256 }, (_, index) => index);
    await storage.put('config', every);
    assert.deepEqual(Uint8Array.from((await storage.get('config')) ?? []), every);
  });

  test('keeps an empty value apart from a missing one', async (storage) => {
    await storage.put('config', new Uint8Array());
    assert.equal((await storage.get('config'))?.length, 0);
  });

  test('replaces an earlier value', async (storage) => {
    await storage.put('config', bytes('a long first value'));
    await storage.put('config', bytes('second'));
    assert.equal(text(await storage.get('config')), 'second');
  });

  test('deletes, also what is not there', async (storage) => {
    await storage.put('config', bytes('1'));
    await storage.delete('config');
    await storage.delete('config');
    await storage.delete('never/written');
    assert.equal(await storage.get('config'), undefined);
  });

  test('shares no bytes with its callers', async (storage) => {
    const mine = bytes('value');
    await storage.put('config', mine);
    mine.fill(0);
    const theirs = await storage.get('config');
    assert.equal(text(theirs), 'value');
    theirs?.fill(0);
    assert.equal(text(await storage.get('config')), 'value');
  });

  test('takes any character in a key', async (storage) => {
    const keys = ['role/a b', 'role/a%2Fb', 'role/ä€😀', 'role/a\\b', 'role/a..b', 'role/...', 'role/A', 'role/a'];
    keys.push('__proto__', 'constructor', 'role/\n', 'role/*?:"<>|', `role/${'x'.repeat(200)}`);
    for (const key of keys) await storage.put(key, bytes(key));
    for (const key of keys) assert.equal(text(await storage.get(key)), key);
  });

  test('holds a value and a folder of the same name', async (storage) => {
    await storage.put('role', bytes('value'));
    await storage.put('role/dev', bytes('child'));
    await storage.delete('role');
    assert.equal(text(await storage.get('role/dev')), 'child');
  });

  test('takes concurrent writes of different keys', async (storage) => {
    const keys = Array.from({ length: 50 }, (_, index) => `role/${index}`);
    await Promise.all(keys.map((key) => storage.put(key, bytes(key))));
    assert.deepEqual(await Promise.all(keys.map(async (key) => text(await storage.get(key)))), keys);
  });
}

async function fill(storage: Storage): Promise<void> {
  for (const key of ['role/dev', 'role/Ops', 'config', 'role', 'wal/2024/b', 'wal/2024/a', 'wal/1']) {
    await storage.put(key, bytes(key));
  }
}

function listTests(test: Test): void {
  test('lists nothing where nothing is', async (storage) => {
    assert.deepEqual(await storage.list(''), []);
    assert.deepEqual(await storage.list('role/'), []);
  });

  test('lists direct children, folders once and with a slash, by code unit', async (storage) => {
    await fill(storage);
    assert.deepEqual(await storage.list(''), ['config', 'role', 'role/', 'wal/']);
    assert.deepEqual(await storage.list('role/'), ['Ops', 'dev']);
    assert.deepEqual(await storage.list('wal/'), ['1', '2024/']);
    assert.deepEqual(await storage.list('wal/2024/'), ['a', 'b']);
  });

  test('lists no folder whose last value is gone', async (storage) => {
    await storage.put('role/dev', bytes('1'));
    await storage.delete('role/dev');
    assert.deepEqual(await storage.list(''), []);
  });
}

function pageTests(test: Test): void {
  test('pages, if it does, like the list', async (storage) => {
    if (storage.listPage === undefined) return;
    await fill(storage);
    assert.deepEqual(await storage.listPage('', '', 2), ['config', 'role']);
    assert.deepEqual(await storage.listPage('', 'role', 10), ['role/', 'wal/']);
    assert.deepEqual(await storage.listPage('', 'd', 1), ['role']);
    assert.deepEqual(await storage.listPage('', 'wal/', 10), []);
  });
}

function transactionTests(test: Test): void {
  test('keeps all writes of a transaction, if it has them', async (storage) => {
    if (storage.transaction === undefined) return;
    await storage.put('old', bytes('1'));
    const result = await storage.transaction(async (inner) => {
      await inner.put('config', bytes('1'));
      await inner.delete('old');
      return 'done';
    });
    assert.equal(result, 'done');
    assert.deepEqual(await storage.list(''), ['config']);
  });

  test('undoes all writes of a transaction that rejects, if it has them', async (storage) => {
    if (storage.transaction === undefined) return;
    await storage.put('old', bytes('1'));
    const work = storage.transaction(async (inner) => {
      await inner.put('config', bytes('1'));
      await inner.delete('old');
      throw new Error('no');
    });
    await assert.rejects(work, /^Error: no$/);
    assert.deepEqual(await storage.list(''), ['old']);
  });
}
