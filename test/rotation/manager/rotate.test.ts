import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { refused } from '../../support/refused.js';
import { hang, unavailable } from './directory.js';
import { ORIGINAL, World } from './world.js';
import type { Process } from './world.js';

let world: World;
let node: Process;

beforeEach(async () => {
  world = await World.create();
  node = world.start();
});

afterEach(() => world.end());

describe('a rotation', () => {
  test('puts a new secret in the place of the old one, and removes that from the directory', async () => {
    await expect(node.manager.rotate()).resolves.toBe('completed');

    expect(await world.secret()).not.toBe(ORIGINAL.clientSecret);
    await world.expectPromise();
    expect(node.operations).toEqual([
      'put rotation',
      'add',
      'put rotation',
      'accepts',
      'put config',
      'put rotation',
      'list',
      'put rotation',
      'remove',
      'put rotation',
    ]);
  });

  test('shows its time and the expiry of the secret', async () => {
    const now = world.clock.now();
    await node.manager.rotate();
    expect(await node.manager.status()).toEqual({
      cleanUps: 0,
      lastRotation: now,
      secretExpiration: now + 180 * 86_400_000,
    });
  });

  test('removes by key id what an earlier rotation made', async () => {
    await node.manager.rotate();
    const before = node.operations.length;
    await node.manager.rotate();
    expect(node.operations.slice(before)).not.toContain('list');
    await world.expectPromise();
  });

  test('removes what the directory did not show yet when it was superseded', async () => {
    world.directory.listDelay = 20_000;
    for (let round = 0; round < 3; round++) await node.manager.rotate();
    await world.calm();
    await world.expectPromise();
  });

  test('believes no key id for a secret that an operator has put in its place', async () => {
    await node.manager.rotate();
    world.directory.plant('Ope~canary-operator');
    world.foreign.push((await world.secret())!);
    await node.root.write({ credential: { ...ORIGINAL, clientSecret: 'Ope~canary-operator' } });

    await expect(node.manager.rotate()).resolves.toBe('completed');
    await world.expectPromise();
  });

  test('never touches the credentials of others', async () => {
    world.directory.plant('Oth~canary-other');
    world.foreign.push('Oth~canary-other');
    await node.manager.rotate();
    await world.expectPromise();
  });

  test('leaves the old secret, with a warning, when it cannot be told from others', async () => {
    world.directory.plant('Ori~canary-with-the-same-hint');
    await expect(node.manager.rotate()).resolves.toBe('completed');
    expect(world.directory.live).toHaveLength(3);
    expect(node.logs('warn', /cannot be told from others/)).toMatchObject([{ fields: { matching: 2 } }]);
  });

  test('leaves what is not listed', async () => {
    world.directory.passwords[0]!.removedAt = world.clock.now();
    world.directory.removeDelay = 60_000;
    world.isChecked = false;
    await expect(node.manager.rotate()).resolves.toBe('completed');
    expect(node.logs('warn', /cannot be told from others/)).toMatchObject([{ fields: { matching: 0 } }]);
  });

  test('keeps fields of the record that it does not know', async () => {
    await world.plantRecord('rotation', { version: 3, from_the_future: { kept: true } });
    await node.manager.rotate();
    expect(await world.stored('rotation')).toMatchObject({ from_the_future: { kept: true } });
  });

  test('logs key ids, attempts and expiries, and no part of a secret', async () => {
    await node.manager.rotate();
    const log = JSON.stringify(node.logged);
    expect(node.logged.map(({ level }) => level)).toEqual(['info', 'info', 'info', 'info']);
    expect(log).toContain(world.directory.live[0]!.keyId);
    for (const { secret, hint } of world.directory.passwords) {
      expect(log).not.toContain(secret);
      expect(log).not.toContain(`"${hint!}"`);
    }
  });

  test('refuses a record that it cannot read, without showing it', async () => {
    await world.plantRecord('rotation', { version: 1, open: { state: 'canary-state', attempt: 'canary-attempt' } });
    await expect(node.manager.rotate()).rejects.toMatchObject(
      refused('storage_failed', 'storage: the record rotation cannot be read: attempt'),
    );
    await world.disk.put('rotation', new TextEncoder().encode('{"canary-half'));
    await expect(node.manager.rotate()).rejects.toMatchObject(
      refused('storage_failed', 'storage: the record rotation cannot be read: it'),
    );
    expect(world.directory.calls).toEqual([]);
  });
});

describe('a directory that takes its time', () => {
  test('gets a pending answer after five seconds, and the swap in the background', async () => {
    world.directory.acceptDelay = 120_000;
    const rotation = node.manager.rotate();
    await world.pass(6_000);
    await expect(rotation).resolves.toBe('pending');
    expect(await world.secret()).toBe(ORIGINAL.clientSecret);
    expect(await world.openState()).toBe('pending');
    expect((await node.manager.status()).open).toMatchObject({ state: 'pending', attempt: expect.any(String) });
    expect((await node.manager.status()).secretExpiration).toBeUndefined();

    await world.pass(140_000);
    expect(await world.secret()).not.toBe(ORIGINAL.clientSecret);
    await world.calm();
    await world.expectPromise();
  });

  test('is asked less and less often', async () => {
    world.directory.acceptDelay = 600_000;
    void node.manager.rotate();
    await world.pass(300_000, 250);
    const tries = world.directory.calls.filter((call) => call === 'accepts').length;
    expect(tries).toBeGreaterThan(15);
    expect(tries).toBeLessThan(30);
  });

  test('lets a caller join who comes later', async () => {
    world.directory.acceptDelay = 60_000;
    const first = node.manager.rotate();
    await world.pass(3_000);
    const second = node.manager.rotate();
    await world.pass(6_000);
    await expect(Promise.all([first, second])).resolves.toEqual(['pending', 'pending']);
    expect(world.directory.passwords).toHaveLength(2);
  });

  test('has concurrent callers share one rotation', async () => {
    await expect(Promise.all([1, 2, 3].map(() => node.manager.rotate()))).resolves.toEqual(
      Array<string>(3).fill('completed'),
    );
    expect(world.directory.passwords).toHaveLength(2);
    await world.expectPromise();
  });

  test('may be throttled while the secret is tried and while the old one is removed', async () => {
    const turns = { accepts: 3, remove: 3, list: 3, add: 0 };
    world.directory.before = (call) => {
      if (turns[call]-- > 0) throw unavailable();
    };
    const rotation = node.manager.rotate();
    await world.pass(60_000);
    await expect(rotation).resolves.toBe('pending');
    await world.calm();
    await world.expectPromise();
    expect(node.logs('warn', /could not be removed/)).not.toEqual([]);
  });

  test('may never accept the new secret: the old one stays in use', async () => {
    await node.root.write({ credential: ORIGINAL, ttl: 600 });
    world.directory.acceptDelay = 10 * 365 * 86_400_000;
    const rotation = node.manager.rotate();
    await world.pass(700_000, 10_000);
    await expect(rotation).resolves.toBe('pending');
    expect(await world.secret()).toBe(ORIGINAL.clientSecret);
    expect(await world.openState()).toBeUndefined();
    expect(node.logs('error', /expired before/)).toHaveLength(1);
  });

  test('may lose the new secret, which is given up once it cannot only be late', async () => {
    world.directory.acceptDelay = 60 * 60_000;
    void node.manager.rotate();
    await world.pass(10_000);
    world.directory.passwords[1]!.removedAt = world.clock.now();
    await world.pass(14 * 60_000, 15_000);
    expect(await world.openState()).toBe('pending');

    await world.pass(3 * 60_000, 15_000);
    expect(node.logs('error', /gone from the directory/)).toHaveLength(1);
    await world.calm();
    await world.expectPromise();
    expect(await world.secret()).toBe(ORIGINAL.clientSecret);
  });

  test('does not let go of a secret that it still lists', async () => {
    world.directory.acceptDelay = 40 * 60_000;
    void node.manager.rotate();
    await world.pass(41 * 60_000, 15_000);
    expect(await world.secret()).not.toBe(ORIGINAL.clientSecret);
    await world.calm();
    await world.expectPromise();
  });
});

describe('a failed attempt', () => {
  test('that has nothing to rotate is refused, and leaves nothing', async () => {
    await node.root.write(undefined);
    await expect(node.manager.rotate()).rejects.toMatchObject(
      refused('invalid_request', /nothing to rotate/, 'client_secret'),
    );
    expect(await world.disk.list('')).toEqual([]);
    expect(world.directory.calls).toEqual([]);
  });

  test('that the directory refuses leaves nothing to clean up', async () => {
    world.isChecked = false;
    await node.root.write({ credential: { ...ORIGINAL, clientSecret: 'Bad~canary-wrong' } });
    await expect(node.manager.rotate()).rejects.toMatchObject(refused('not_configured', /refuses/));
    expect(await world.openState()).toBeUndefined();
    expect(await world.disk.list('wal/')).toEqual([]);
  });

  test.each(['before', 'after'] as const)('that lost its answer %s the work leaves nothing', async (when) => {
    world.directory.listDelay = 4_000;
    world.directory[when] = (call: string) => {
      if (call === 'add') throw unavailable();
    };
    await expect(node.manager.rotate()).rejects.toMatchObject(refused('provider_unavailable', /did not answer/));
    expect(await world.secret()).toBe(ORIGINAL.clientSecret);
    expect(await world.openState()).toBeUndefined();
    world.directory[when] = () => undefined;
    await world.calm();
    await world.expectPromise();
  });

  test('ends after half a minute without an answer', async () => {
    world.directory.before = (call, signal) => (call === 'add' ? hang(signal) : undefined);
    const rotation = node.manager.rotate();
    const outcome = expect(rotation).rejects.toMatchObject(refused('provider_unavailable', /did not answer/));
    await world.pass(31_000);
    await outcome;
  });

  test('can be repeated at once', async () => {
    world.directory.after = (call) => {
      world.directory.after = () => undefined;
      if (call === 'add') throw unavailable();
    };
    await expect(node.manager.rotate()).rejects.toMatchObject(refused('provider_unavailable', /did not answer/));
    await expect(node.manager.rotate()).resolves.toBe('completed');
    await world.calm();
    await world.expectPromise();
  });

  test('does not pile up what it leaves', async () => {
    world.directory.before = (call) => {
      if (call === 'add' || call === 'list') throw unavailable();
    };
    for (let attempt = 0; attempt < 100; attempt++) await node.manager.rotate().catch(() => undefined);
    await expect(node.manager.rotate()).rejects.toMatchObject(
      refused('provider_unavailable', /too many failed rotations/),
    );
    expect(await world.disk.list('wal/')).toHaveLength(100);
  });
});

describe('closing', () => {
  test('ends a wait and leaves the rotation open, for the next process to finish', async () => {
    world.directory.acceptDelay = 60_000;
    const rotation = node.manager.rotate();
    const outcome = expect(rotation).rejects.toMatchObject(refused('provider_unavailable', /stopped rotating/));
    await world.pass(2_000);
    await node.manager.close();
    await outcome;
    expect(await world.openState()).toBe('pending');
    await expect(node.manager.rotate()).rejects.toMatchObject(refused('provider_unavailable', /stopped rotating/));

    await world.start().manager.recover();
    await world.pass(70_000);
    await world.calm();
    await world.expectPromise();
    expect(await world.secret()).not.toBe(ORIGINAL.clientSecret);
  });

  test('ends a call in flight, and writes nothing after it', async () => {
    world.directory.before = (call, signal) => (call === 'add' ? hang(signal) : undefined);
    const outcome = expect(node.manager.rotate()).rejects.toMatchObject({ code: 'provider_unavailable' });
    await world.settle();
    await node.manager.close();
    await outcome;
    expect(await world.openState()).toBe('adding');
  });
});
