import { expect, test } from '@jest/globals';
import { RecordStore } from '../../src/framework/record-store.js';
import { MemoryStorage } from '../../src/storage/index.js';
import { ManualClock } from '../support/clock.js';

const bytes = (record: object): Uint8Array => new TextEncoder().encode(JSON.stringify(record));

test('an invalidation that comes while a record is written is not lost', async () => {
  const storage = new MemoryStorage();
  const store: RecordStore<unknown> = new RecordStore<unknown>(
    {
      ...{ get: (key: string) => storage.get(key), list: (prefix: string) => storage.list(prefix) },
      delete: (key) => storage.delete(key),
      // Another node writes after this one, and its invalidation is here before the answer of this write.
      put: async (key, value) => {
        await storage.put(key, value);
        await storage.put(key, bytes({ by: 'other' }));
        store.invalidate(key);
      },
    },
    new ManualClock(),
    { parse: (record) => record, maxEntries: 10 },
  );
  await store.update('role/dev', () => ({ by: 'this' }));
  expect(await store.get('role/dev')).toEqual({ by: 'other' });
});
