import { describe, expect, test } from '@jest/globals';
import { Lanes } from '../../src/cloud/lanes.js';

const signal = new AbortController().signal;

/** Work that ends when told to, and the order in which pieces of it began. */
function workshop(): { begun: string[]; work: (name: string) => () => Promise<string>; end: (name: string) => void } {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  return {
    begun,
    work: (name) => () => {
      begun.push(name);
      return new Promise((resolve) => ends.set(name, () => resolve(name)));
    },
    end: (name) => ends.get(name)?.(),
  };
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('lanes', () => {
  test('begin work in order of arrival, so many at a time', async () => {
    const { begun, work, end } = workshop();
    const lanes = new Lanes({ maxWaiting: 100, maxAtWork: 2 });
    const all = ['a', 'b', 'c', 'd'].map((name) => lanes.run('lane', signal, work(name)));
    await settled();
    expect(begun).toEqual(['a', 'b']);
    end('b');
    await settled();
    expect(begun).toEqual(['a', 'b', 'c']);
    end('a');
    end('c');
    await settled();
    end('d');
    expect(await Promise.all(all)).toEqual(['a', 'b', 'c', 'd']);
  });

  test('do not hold up each other', async () => {
    const { begun, work } = workshop();
    const lanes = new Lanes({ maxWaiting: 100, maxAtWork: 1 });
    void lanes.run('slow', signal, work('slow-1'));
    void lanes.run('slow', signal, work('slow-2'));
    void lanes.run('quick', signal, work('quick-1'));
    await settled();
    expect(begun).toEqual(['slow-1', 'quick-1']);
  });

  test('refuse at once what they have no room for, half of it for one lane', async () => {
    const { work, end } = workshop();
    const lanes = new Lanes({ maxWaiting: 4, maxAtWork: 1 });
    const refusal = { code: 'provider_unavailable', retryAfter: 1 };
    const first = lanes.run('one', signal, work('1'));
    void lanes.run('one', signal, work('2'));
    await expect(lanes.run('one', signal, work('3'))).rejects.toMatchObject(refusal);
    void lanes.run('two', signal, work('4'));
    void lanes.run('two', signal, work('5'));
    await expect(lanes.run('three', signal, work('6'))).rejects.toMatchObject(refusal);
    await settled();
    end('1');
    await first;
    const late = lanes.run('three', signal, work('7'));
    await settled();
    end('7');
    expect(await late).toBe('7');
  });

  test('let go of those who stop waiting', async () => {
    const { begun, work, end } = workshop();
    const lanes = new Lanes({ maxWaiting: 100, maxAtWork: 1 });
    const impatient = new AbortController();
    const first = lanes.run('lane', signal, work('first'));
    const given = lanes.run('lane', impatient.signal, work('given up'));
    const last = lanes.run('lane', signal, work('last'));
    impatient.abort();
    await expect(given).rejects.toMatchObject({ failure: 'aborted' });
    end('first');
    await first;
    await settled();
    end('last');
    expect(await last).toBe('last');
    expect(begun).toEqual(['first', 'last']);
  });

  // One of these moments lies between the hand-over and its being noticed by the next in line.
  test.each([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])(
    'lose no turn when the patience ends %i steps after the work before',
    async (steps) => {
      const { work, end } = workshop();
      const lanes = new Lanes({ maxWaiting: 100, maxAtWork: 1 });
      const impatient = new AbortController();
      void lanes.run('lane', signal, work('first'));
      const given = lanes.run('lane', impatient.signal, work('given up'));
      const last = lanes.run('lane', signal, work('last'));
      await settled();
      end('first');
      for (let step = 0; step < steps; step++) await Promise.resolve();
      impatient.abort();
      await settled();
      end('given up');
      await Promise.allSettled([given]);
      await settled();
      end('last');
      expect(await last).toBe('last');
    },
  );

  test('go on after work that fails', async () => {
    const lanes = new Lanes({ maxWaiting: 100, maxAtWork: 1 });
    const failing = lanes.run('lane', signal, () => Promise.reject(new Error('no')));
    const next = lanes.run('lane', signal, () => Promise.resolve('yes'));
    await expect(failing).rejects.toThrow('no');
    expect(await next).toBe('yes');
  });
});
