import { describe, expect, it } from '@jest/globals';
import type { Storage } from '../../src/contract/index.js';
import { MemoryStorage, prefixedStorage } from '../../src/storage/index.js';
import { runStorageContract } from '../../src/testing/storage-contract.js';

const bytes = new TextEncoder().encode('value');

runStorageContract('MemoryStorage', () => new MemoryStorage(), { describe, it });
runStorageContract('prefixedStorage', () => prefixedStorage(new MemoryStorage(), 'mount/1/'), { describe, it });

describe('prefixedStorage', () => {
  it('hides what lies outside, also from keys that climb', async () => {
    const whole = new MemoryStorage();
    await whole.put('mount/2/config', bytes);
    await whole.put('mount/10/config', bytes);
    const view = prefixedStorage(whole, 'mount/1/');

    await view.put('config', bytes);

    expect(await view.list('')).toEqual(['config']);
    expect(await whole.list('mount/')).toEqual(['1/', '10/', '2/']);
    for (const key of ['../2/config', 'a/../../2/config', '..', '.', '', '/config', 'config/', 'a//b']) {
      await expect(view.get(key)).rejects.toMatchObject({ code: 'internal' });
      await expect(view.put(key, bytes)).rejects.toMatchObject({ code: 'internal' });
      await expect(view.delete(key)).rejects.toMatchObject({ code: 'internal' });
    }
    for (const prefix of ['../', '/', 'role', './', 'a//']) {
      await expect(view.list(prefix)).rejects.toMatchObject({ code: 'internal' });
    }
  });

  it('offers pages and transactions only where the storage below has them', async () => {
    const plain: Storage = new MemoryStorage();
    expect(prefixedStorage(plain, 'a/')).toHaveProperty('listPage');
    expect(prefixedStorage(plain, 'a/')).not.toHaveProperty('transaction');
    expect(prefixedStorage(bind(plain), 'a/')).not.toHaveProperty('listPage');

    const transacting: Storage = { ...bind(plain), transaction: async (work) => work(plain) };
    await prefixedStorage(transacting, 'a/').transaction?.(async (inner) => inner.put('config', bytes));
    expect(await plain.list('')).toEqual(['a/']);
    expect(await plain.list('a/')).toEqual(['config']);
  });
});

function bind(storage: Storage): Storage {
  return {
    get: async (key) => storage.get(key),
    put: async (key, value) => storage.put(key, value),
    delete: async (key) => storage.delete(key),
    list: async (prefix) => storage.list(prefix),
  };
}
