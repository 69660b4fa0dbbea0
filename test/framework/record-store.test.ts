import { beforeEach, describe, expect, test } from '@jest/globals';
import { RecordStore } from '../../src/framework/record-store.js';
import type { StoredRecord } from '../../src/framework/record-store.js';
import { ManualClock } from '../support/clock.js';
import { refused } from '../support/refused.js';
import { gate, WatchedStorage } from '../support/watched-storage.js';

interface Parsed {
  readonly key: string;
  readonly record: StoredRecord | undefined;
}

let storage: WatchedStorage;
let clock: ManualClock;

beforeEach(() => {
  storage = new WatchedStorage();
  clock = new ManualClock();
});

function records(options: { maxAge?: number; maxEntries?: number } = {}): RecordStore<Parsed> {
  return new RecordStore<Parsed>(storage, clock, {
    parse: (record, key) => ({ key, record }),
    maxEntries: 10,
    ...options,
  });
}

describe('reading', () => {
  test('parses a record once and costs nothing afterwards', async () => {
    await storage.plant('a', '{"n":1}');
    const store = records();
    const first = await store.get('a');
    expect(first).toEqual({ key: 'a', record: { n: 1 } });
    expect(store.get('a')).toBe(first);
    expect(storage.calls).toEqual(['get a']);
  });

  test('shares one read between concurrent readers', async () => {
    await storage.plant('a', '{"n":1}');
    const store = records();
    const results = await Promise.all(Array.from({ length: 50 }, async () => store.get('a')));
    expect(new Set(results).size).toBe(1);
    expect(storage.calls).toEqual(['get a']);
  });

  test('does not cache what is parsed to nothing, so that callers cannot fill the cache with names', async () => {
    const store = new RecordStore(storage, clock, { parse: (record) => record, maxEntries: 10 });
    await store.get('a');
    await store.get('a');
    expect(storage.calls).toEqual(['get a', 'get a']);
  });

  test('keeps no more records than it may', async () => {
    const store = records({ maxEntries: 1 });
    await store.get('a');
    await store.get('b');
    await store.get('a');
    expect(storage.calls).toEqual(['get a', 'get b', 'get a']);
  });

  test.each(['__proto__', 'constructor'])('keeps a record named %s apart from the others (A14)', async (key) => {
    await storage.plant(key, '{"n":1}');
    const store = records();
    expect(await store.get(key)).toEqual({ key, record: { n: 1 } });
    expect((await store.get('a')).record).toBeUndefined();
  });
});

describe('a failure of the storage', () => {
  test('to read is an error, never a missing record, and is not remembered', async () => {
    await storage.plant('a', '{"n":1}');
    const store = records();
    storage.failing.add('get');
    const error = refused('storage_failed', 'storage: could not read a');
    await expect(store.get('a')).rejects.toMatchObject(error);
    await expect(store.read('a')).rejects.toMatchObject(error);
    await expect(store.update('a', () => ({ n: 2 }))).rejects.toMatchObject(error);
    storage.failing.clear();
    expect((await store.get('a')).record).toEqual({ n: 1 });
  });

  test('to list is an error, never an empty list', async () => {
    storage.failing.add('list');
    await expect(records().list('role/')).rejects.toMatchObject(
      refused('storage_failed', 'storage: could not list role/'),
    );
  });

  test.each(['put', 'delete'] as const)('to %s is an error, and drops what was cached', async (call) => {
    await storage.plant('a', '{"n":1}');
    const store = records();
    await store.get('a');
    storage.failing.add(call);
    const write = call === 'put' ? store.update('a', () => ({ n: 2 })) : store.delete('a');
    await expect(write).rejects.toMatchObject(refused('storage_failed', 'storage: could not write a'));
    // It may have happened all the same.
    await storage.plant('a', '{"n":2}');
    expect((await store.get('a')).record).toEqual({ n: 2 });
  });

  test('does not stop later writes of the same record', async () => {
    const store = records();
    storage.failing.add('put');
    const failed = store.update('a', () => ({ n: 1 }));
    await expect(failed).rejects.toMatchObject({ code: 'storage_failed' });
    storage.failing.clear();
    await store.update('a', () => ({ n: 2 }));
    expect(await storage.stored('a')).toEqual({ n: 2 });
  });
});

test.each(['', 'canary-secret', '{"client_secret":"canary-half', '[]', 'null', '7', '"canary-text"'])(
  'the unreadable record %j is an error that shows nothing of it',
  async (text) => {
    await storage.plant('a', text);
    const store = records();
    const attempts = [store.read('a'), store.update('a', () => ({})), Promise.resolve(store.get('a'))];
    for (const attempt of await Promise.allSettled(attempts)) {
      const error: unknown = attempt.status === 'rejected' && attempt.reason;
      expect(error).toMatchObject(refused('storage_failed', 'storage: the record a is not a JSON object'));
      expect(error).not.toHaveProperty('cause');
    }
    expect(storage.calls).not.toContain('put a');
  },
);

describe('writing', () => {
  test('is seen by the next read', async () => {
    const store = records();
    expect((await store.get('a')).record).toBeUndefined();
    await store.update('a', () => ({ n: 1 }));
    expect((await store.get('a')).record).toEqual({ n: 1 });
    await store.delete('a');
    expect((await store.get('a')).record).toBeUndefined();
  });

  test('hands over the stored record with the fields that this version does not know', async () => {
    await storage.plant('a', '{"n":1,"from_the_future":{"deep":true}}');
    await records().update('a', (current) => ({ ...current, n: 2 }));
    expect(await storage.stored('a')).toEqual({ n: 2, from_the_future: { deep: true } });
  });

  test('starts from what is stored, not from what is cached', async () => {
    const store = records();
    await store.update('a', () => ({ n: 1 }));
    await store.get('a');
    await storage.plant('a', '{"n":2,"by":"another node"}');
    await store.update('a', (current) => ({ ...current, n: 3 }));
    expect(await storage.stored('a')).toEqual({ n: 3, by: 'another node' });
  });

  test('runs one after another for one record: no update is lost', async () => {
    const store = records();
    const count = (current: StoredRecord | undefined): StoredRecord => ({ n: Number(current?.['n'] ?? 0) + 1 });
    await Promise.all(Array.from({ length: 20 }, () => store.update('a', count)));
    expect(await storage.stored('a')).toEqual({ n: 20 });
  });

  test('of one record does not wait for that of another', async () => {
    const store = records();
    const { closed, open } = gate();
    storage.late.set('a', closed);
    const slow = store.update('a', () => ({ n: 1 }));
    await store.update('b', () => ({ n: 1 }));
    expect(await storage.stored('a')).toBeUndefined();
    open();
    await slow;
  });

  test('that is called off leaves the record as it was, and the next one its turn', async () => {
    const store = records();
    await store.update('a', () => ({ n: 1 }));
    const calledOff = store.update('a', () => {
      throw new RangeError('no');
    });
    const next = store.update('a', (current) => ({ ...current, m: 2 }));
    await expect(calledOff).rejects.toThrow(RangeError);
    await next;
    expect(await storage.stored('a')).toEqual({ n: 1, m: 2 });
  });
});

describe('a read that began before a change', () => {
  test.each(['write', 'invalidation'] as const)('by a %s does not fill the cache after it', async (change) => {
    await storage.plant('a', '{"n":1}');
    const store = records();
    const { closed, open } = gate();
    storage.late.set('a', closed);
    const early = store.get('a');
    storage.late.clear();
    if (change === 'write') {
      await store.update('a', () => ({ n: 2 }));
    } else {
      await storage.plant('a', '{"n":2}');
      store.invalidate('a');
    }
    expect((await store.get('a')).record).toEqual({ n: 2 });
    open();
    expect((await early).record).toEqual({ n: 1 });
    expect((await store.get('a')).record).toEqual({ n: 2 });
  });
});

describe('age', () => {
  test('does not count where the host sends invalidations', async () => {
    const store = records();
    await store.get('a');
    clock.advance(1e12);
    await store.get('a');
    expect(storage.calls).toEqual(['get a']);
  });

  test.each([
    ['at the limit', 5_000, 1],
    ['past the limit', 5_001, 2],
    ['when the clock has jumped back', -5_001, 2],
  ])('%s', async (_, passed, reads) => {
    const store = records({ maxAge: 5_000 });
    await store.get('a');
    clock.advance(passed);
    await store.get('a');
    expect(storage.calls).toHaveLength(reads);
  });

  test('leaves the parsed value of an unchanged record as it is: clients hang on its identity', async () => {
    await storage.plant('a', '{"n":1}');
    const store = records({ maxAge: 5_000 });
    const first = await store.get('a');
    clock.advance(5_001);
    expect(await store.get('a')).toBe(first);
    // And it counts as fresh again.
    clock.advance(5_000);
    expect(store.get('a')).toBe(first);
    expect(storage.calls).toHaveLength(2);
  });

  test('shows a record that was changed, made or deleted behind its back', async () => {
    const store = records({ maxAge: 5_000 });
    const seen: (StoredRecord | undefined)[] = [(await store.get('a')).record];
    for (const change of [
      () => storage.plant('a', '{"n":1}'),
      () => storage.plant('a', '{"n":2}'),
      () => storage.delete('a'),
    ]) {
      await change();
      clock.advance(5_001);
      seen.push((await store.get('a')).record);
    }
    expect(seen).toEqual([undefined, { n: 1 }, { n: 2 }, undefined]);
  });

  test('with a storage that fails gives an error, not the old record', async () => {
    const store = records({ maxAge: 5_000 });
    await store.get('a');
    clock.advance(5_001);
    storage.failing.add('get');
    await expect(store.get('a')).rejects.toMatchObject({ code: 'storage_failed' });
  });
});

test('an invalidation drops only its own record', async () => {
  const store = records();
  await store.get('a');
  await store.get('b');
  store.invalidate('a');
  await store.get('a');
  await store.get('b');
  expect(storage.calls).toEqual(['get a', 'get b', 'get a']);
});

test('lists what the storage lists', async () => {
  await storage.plant('role/b', '{}');
  await storage.plant('role/a', '{}');
  expect(await records().list('role/')).toEqual(['a', 'b']);
});
