import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { refused } from '../../support/refused.js';
import { denied, hang, unavailable } from './directory.js';
import { ORIGINAL, World } from './world.js';
import type { Process } from './world.js';

const OTHER = { ...ORIGINAL, clientSecret: 'Ope~canary-operator' };

let world: World;
let node: Process;

beforeEach(async () => {
  world = await World.create();
  node = world.start();
  world.directory.plant(OTHER.clientSecret);
  world.foreign.push(ORIGINAL.clientSecret, OTHER.clientSecret);
});

afterEach(() => world.end());

/** A rotation that stands still in a state. */
async function standing(state: 'adding' | 'pending' | 'promoting'): Promise<{ outcome: Promise<unknown> }> {
  const halting = { adding: 'add', pending: 'accepts', promoting: 'remove' }[state];
  world.directory.before = (call, signal) => (call === halting ? hang(signal) : undefined);
  const outcome = node.manager.rotate().catch((error: unknown) => error);
  await world.settle();
  expect(await world.openState()).toBe(state);
  return { outcome };
}

describe('other credentials', () => {
  test('while one is added cancel the rotation, and what was added late is removed', async () => {
    // The directory did the work; its answer comes too late.
    world.directory.after = (call, signal) => (call === 'add' ? hang(signal) : undefined);
    const adding = node.manager.rotate().catch((error: unknown) => error);
    await world.settle();
    expect(await world.openState()).toBe('adding');
    void adding;
    node.isDead = true;
    world.directory.after = () => undefined;

    const next = world.start();
    await next.configure({ credential: OTHER });
    expect(await world.secret()).toBe(OTHER.clientSecret);
    await world.calm();
    await world.expectPromise();
  });

  test('while the directory does not answer end the call at once', async () => {
    const { outcome } = await standing('adding');
    await node.configure({ credential: OTHER });
    expect(await outcome).toMatchObject(refused('provider_unavailable', /did not answer/));
    expect(await world.secret()).toBe(OTHER.clientSecret);
    expect(await world.openState()).toBeUndefined();
  });

  test('while the new secret is pending cancel the rotation and remove it', async () => {
    const { outcome } = await standing('pending');
    await node.configure({ credential: OTHER });
    expect(await outcome).toMatchObject(refused('invalid_request', /cancelled/));
    world.directory.before = () => undefined;
    await world.calm();
    expect(await world.secret()).toBe(OTHER.clientSecret);
    await world.expectPromise();
  });

  test('while the old secret is removed take both away that are in nobody’s hands', async () => {
    await node.manager.rotate();
    await node.configure({ credential: OTHER });
    world.foreign.splice(0, Infinity, OTHER.clientSecret);
    for (const { secret, keyId } of world.directory.live) {
      if (secret !== OTHER.clientSecret) world.directory.passwords.find((one) => one.keyId === keyId)!.removedAt = 0;
    }
    await node.manager.rotate();
    const { outcome } = await standing('promoting');
    world.directory.plant('New~canary-newest');
    await node.configure({ credential: { ...OTHER, clientSecret: 'New~canary-newest' } });
    expect(await outcome).toMatchObject(refused('invalid_request', /cancelled/));
    world.foreign.splice(0, Infinity);
    world.directory.before = () => undefined;
    await world.calm();
    await world.expectPromise();
  });

  test('that are the original ones again, while those are removed, keep them and remove the new one', async () => {
    await standing('promoting');
    await node.configure({ credential: ORIGINAL });
    world.directory.before = () => undefined;
    await world.calm();
    expect(await world.secret()).toBe(ORIGINAL.clientSecret);
    await world.expectPromise();
  });

  test('are told from the same ones by what is stored when their turn comes', async () => {
    world.directory.acceptDelay = 1_000;
    const rotation = node.manager.rotate();
    await world.settle();
    let asked = 0;
    const change = node.manager.reconfigure(
      () => node.root.write({ credential: ORIGINAL }),
      async () => {
        asked += 1;
        return (await node.root.read())?.credential.clientSecret !== ORIGINAL.clientSecret;
      },
    );
    await change;
    await world.pass(3_000);
    await expect(rotation).resolves.toBe('completed');
    expect(asked).toBe(2);
  });

  test('of which nothing can be stored lose nothing, in any state', async () => {
    for (const state of ['pending', 'promoting'] as const) {
      await standing(state);
      const change = node.manager.reconfigure(
        () => Promise.reject(new Error('the disk is full')),
        () => Promise.resolve(true),
      );
      await expect(change).rejects.toThrow('the disk is full');
      world.directory.before = () => undefined;
      await world.pass(60_000);
      expect(world.directory.isLive((await world.secret())!)).toBe(true);
      expect(await world.openState()).toBeUndefined();
    }
    // The secret that was put to use is known by its key id, and goes with the next rotation.
    await node.manager.rotate();
    await world.pass(20 * 60_000, 60_000);
    expect(world.directory.live).toHaveLength(3);
    expect(world.broken).toBeUndefined();
  });

  test('end what is known of the former ones, which stay', async () => {
    await node.manager.rotate();
    const [former] = world.directory.live.filter(({ secret }) => !world.foreign.includes(secret));
    expect((await node.manager.status()).secretExpiration).toBe(former!.expiresAt);
    await node.configure({ credential: OTHER });
    expect(await node.manager.status()).toEqual({ cleanUps: 0, lastRotation: world.clock.now() });
    expect((await world.stored('rotation'))?.['key_id']).toBeUndefined();
    expect(node.logs('info', /stays in the directory/)).toMatchObject([{ fields: { keyId: former!.keyId } }]);
  });

  test('with the same secret keep what is known of it', async () => {
    await node.manager.rotate();
    const { secretExpiration } = await node.manager.status();
    const { credential } = (await node.root.read())!;
    await node.configure({ credential: { ...credential, environment: 'AzurePublicCloud' } });
    expect((await node.manager.status()).secretExpiration).toBe(secretExpiration);
    expect(node.logs('info', /stays in the directory/)).toEqual([]);
    // Somebody else's secret begins with the same characters: only the key id tells them apart.
    const namesake = world.directory.plant(`${credential.clientSecret.slice(0, 3)}~canary-namesake`);
    world.foreign.splice(0, Infinity, OTHER.clientSecret, namesake.secret);
    await node.manager.rotate();
    await world.calm();
    await world.expectPromise();
  });

  test('are stored although a clean-up cannot be read', async () => {
    await world.plantRecord('wal/0-broken', { credentials: 'canary-none' });
    await node.configure({ credential: OTHER });
    expect(await world.secret()).toBe(OTHER.clientSecret);
    expect(node.logs('warn', /does not learn of the credentials/)).toHaveLength(1);
  });

  test('that make the secret unusable but keep it do not have it removed', async () => {
    await standing('promoting');
    const credential = (await node.root.read())!.credential;
    await node.manager.reconfigure(
      () => node.root.write({ credential, pinned: true }),
      () => Promise.resolve(true),
    );
    world.directory.before = () => undefined;
    await world.pass(60 * 60_000, 60_000);
    expect(world.directory.isLive(credential.clientSecret)).toBe(true);
    expect(node.logs('warn', /could not be removed yet/)).not.toEqual([]);
  });
});

describe('no configuration', () => {
  test.each(['adding', 'pending', 'promoting'] as const)('while %s: what was added is removed', async (state) => {
    await standing(state);
    await node.configure(undefined);
    world.directory.before = () => undefined;
    await world.pass(20 * 60_000, 60_000);
    await world.expectPromise();
    expect(await world.secret()).toBeUndefined();
  });
});

describe('other settings', () => {
  test('leave an open rotation alone', async () => {
    world.directory.acceptDelay = 60_000;
    void node.manager.rotate();
    await world.pass(2_000);
    await node.configure({ credential: ORIGINAL, retryDelay: 9 });
    expect(await world.openState()).toBe('pending');
    world.foreign.splice(0, Infinity, OTHER.clientSecret);
    await world.pass(90_000);
    await world.calm();
    expect(await world.config()).toMatchObject({ retryDelay: 9 });
    await world.expectPromise();
  });

  test('wait for their turn', async () => {
    world.directory.before = (call, signal) => (call === 'add' ? hang(signal) : undefined);
    const rotation = node.manager.rotate().catch(() => undefined);
    await world.settle();
    const change = node.configure({ credential: ORIGINAL, retryDelay: 9 });
    await world.settle();
    expect(await world.config()).not.toMatchObject({ retryDelay: 9 });
    await world.pass(31_000);
    await Promise.all([rotation, change]);
    expect(await world.config()).toMatchObject({ retryDelay: 9 });
  });
});

describe('a clean-up', () => {
  const lost = async (): Promise<void> => {
    world.directory.after = (call) => {
      if (call === 'add') throw unavailable();
    };
    await node.manager.rotate().catch(() => undefined);
    world.directory.after = () => undefined;
  };

  test('asks with the secret in use when the one of its time is gone', async () => {
    world.directory.listDelay = 30_000;
    await lost();
    await node.manager.rotate();
    world.foreign.splice(0, Infinity, OTHER.clientSecret);
    await world.pass(10 * 60_000, 10_000);
    await world.expectPromise();
  });

  test('asks with the secret that was in use last when there is none any more', async () => {
    world.directory.listDelay = 30_000;
    await lost();
    await node.manager.rotate();
    await node.configure(undefined);
    await world.pass(20 * 60_000, 10_000);
    await world.calm();
    world.foreign.splice(0, 1);
    await world.expectPromise();
  });

  test('asks with each secret that it knows', async () => {
    await standing('pending');
    world.foreign.splice(0, 1);
    world.directory.passwords[0]!.removedAt = 0;
    world.isChecked = false;
    await node.configure(undefined);
    world.directory.before = () => undefined;
    await world.calm();
    expect(world.directory.live.map(({ secret }) => secret)).toEqual([OTHER.clientSecret]);
  });

  test('goes on trying, less and less often, until the credential has expired', async () => {
    await node.root.write({ credential: ORIGINAL, ttl: 86_400 });
    await standing('pending');
    await node.configure(undefined);
    world.directory.before = (call) => {
      if (call === 'list') throw denied();
    };
    world.directory.calls.splice(0);
    await world.pass(23 * 3_600_000, 60_000);
    expect(world.directory.calls.length).toBeGreaterThan(20);
    // Each time with two credentials.
    expect(world.directory.calls.length).toBeLessThan(80);
    expect(await world.disk.list('wal/')).toHaveLength(1);
    await world.pass(3 * 3_600_000, 60_000);
    expect(await world.disk.list('wal/')).toEqual([]);
    expect(node.logs('info', /clean-up after a rotation is done/)).toMatchObject([{ fields: { outcome: 'expired' } }]);
  });

  test('is done although the clock says that the credential has expired', async () => {
    await lost();
    world.clock.advance(365 * 86_400_000);
    await world.pass(5_000);
    await world.expectPromise();
  });

  test('is not given up by a clock that is wrong while the directory does not answer', async () => {
    await lost();
    world.directory.before = (call) => {
      if (call === 'list') throw unavailable();
    };
    world.clock.advance(365 * 86_400_000);
    await world.pass(5_000);
    world.clock.advance(-365 * 86_400_000);
    world.directory.before = () => undefined;
    await world.calm();
    await world.expectPromise();
  });

  test('is not put off by a clock that was set back', async () => {
    await standing('pending');
    await node.configure(undefined);
    world.directory.before = (call) => {
      if (call === 'list') throw unavailable();
    };
    await world.pass(2 * 3_600_000, 60_000);
    world.directory.before = () => undefined;
    world.clock.advance(-1.5 * 3_600_000);
    await world.pass(2_000);
    expect(await world.disk.list('wal/')).toEqual([]);
  });

  test('whose record cannot be read does not keep others from theirs', async () => {
    await world.plantRecord('wal/0-broken', { credentials: 'canary-none' });
    await lost();
    await world.pass(5_000);
    expect(await world.disk.list('wal/')).toEqual(['0-broken']);
    expect(node.logs('warn', /could not be removed yet/)[0]!.fields).toMatchObject({
      reason: 'storage: the record wal/0-broken cannot be read: credentials',
    });
  });
});
