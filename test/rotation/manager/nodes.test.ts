import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { gate } from '../../support/watched-storage.js';
import { unavailable } from './directory.js';
import { ORIGINAL, World } from './world.js';

let world: World;

beforeEach(async () => {
  world = await World.create({ period: 3_600 });
});

afterEach(() => world.end());

describe('a standby', () => {
  test('does nothing', async () => {
    const standby = world.start({ isActive: () => Promise.resolve(false) });
    await standby.manager.recover();
    await world.pass(3 * 3_600_000, 60_000);
    expect(standby.operations).toEqual([]);
  });

  test('goes on with what is open once it is active', async () => {
    let isActive = false;
    const active = world.start({ isActive: () => Promise.resolve(!isActive) });
    const standby = world.start({ isActive: () => Promise.resolve(isActive) });
    await Promise.all([active.manager.recover(), standby.manager.recover()]);
    world.directory.acceptDelay = 30_000;
    const rotation = active.manager.rotate();
    const outcome = expect(rotation).resolves.toBe('pending');
    await world.pass(10_000);
    await outcome;
    active.isDead = true;
    isActive = true;
    await world.pass(60_000);
    await world.calm();
    await world.expectPromise();
    expect(await world.secret()).not.toBe(ORIGINAL.clientSecret);
  });

  test('that was active leaves an open rotation to its successor', async () => {
    let isActive = true;
    const first = world.start({ isActive: () => Promise.resolve(isActive) });
    world.directory.acceptDelay = 60_000;
    void first.manager.rotate().catch(() => undefined);
    await world.pass(10_000);
    isActive = false;
    await world.pass(20_000);
    const operations = first.operations.length;
    await world.pass(60_000);
    expect(first.operations).toHaveLength(operations);
    expect(await world.openState()).toBe('pending');

    isActive = true;
    await world.pass(5_000);
    await world.calm();
    await world.expectPromise();
  });
});

describe('two nodes that both think that they are active', () => {
  test('take one rotation to its end', async () => {
    const [one, other] = [world.start(), world.start()];
    await Promise.all([one.manager.recover(), other.manager.recover()]);
    world.directory.acceptDelay = 20_000;
    void one.manager.rotate();
    await world.pass(60_000);
    await world.calm();
    await world.expectPromise();
    expect(world.directory.passwords).toHaveLength(2);
  });

  test('lose nothing when one undoes what the other is just adding', async () => {
    const [one, other] = [world.start(), world.start()];
    const answer = gate();
    world.directory.after = (call) => (call === 'add' ? answer.closed : undefined);
    const rotation = one.manager.rotate();
    const outcome = expect(rotation).rejects.toMatchObject({ code: 'invalid_request' });
    await world.settle();
    await other.manager.recover();
    await world.settle();
    expect(await world.openState()).toBeUndefined();
    answer.open();
    await outcome;
    await world.calm();
    await world.expectPromise();
    expect(await world.secret()).toBe(ORIGINAL.clientSecret);
  });

  test('lose nothing when the record of one is overwritten by the other', async () => {
    const one = world.start();
    world.directory.acceptDelay = 20_000;
    const rotation = one.manager.rotate();
    const outcome = expect(rotation).resolves.toBe('pending');
    await world.pass(6_000);
    await outcome;
    await world.plantRecord('rotation', { version: 1 });
    await world.calm();
    await world.pass(60_000);
    await world.calm();
    await world.expectPromise();
  });

  test('leave nothing behind when the record of one is overwritten just as it puts its secret to use', async () => {
    const node = world.start();
    await node.manager.rotate();
    const replaceSecret = node.root.replaceSecret.bind(node.root);
    node.root.replaceSecret = async (...parameters) => {
      const { open, ...closed } = (await world.stored('rotation'))!;
      expect(open).toMatchObject({ state: 'pending' });
      await world.plantRecord('rotation', closed);
      return replaceSecret(...parameters);
    };
    await expect(node.manager.rotate()).rejects.toMatchObject({ code: 'invalid_request' });
    await world.calm();
    await world.expectPromise();
  });

  test('lose nothing when one cancels, in vain, what the directory is just accepting', async () => {
    const [one, other] = [world.start(), world.start()];
    const answer = gate();
    world.directory.removeDelay = 300_000;
    world.directory.after = (call) => (call === 'accepts' ? answer.closed : undefined);
    const outcome = expect(one.manager.rotate()).rejects.toMatchObject({ code: 'invalid_request' });
    await world.settle();
    const change = other.manager.reconfigure(
      () => Promise.reject(new Error('the disk is full')),
      () => Promise.resolve(true),
    );
    await expect(change).rejects.toThrow('the disk is full');
    await world.settle();
    answer.open();
    await outcome;
    await world.calm();
    await world.expectPromise();
  });

  test('lose nothing when one notes down to go what the other is just storing', async () => {
    const node = world.start();
    world.directory.acceptDelay = 3_000;
    const outcome = expect(node.manager.rotate()).rejects.toMatchObject({ code: 'invalid_request' });
    await world.settle();
    const { open } = (await world.stored('rotation')) as { open: { attempt: string; credential: object } };
    await world.plantRecord(`wal/${open.attempt.slice(20)}`, {
      version: 1,
      credentials: [open.credential],
      attempt: open.attempt,
      since: world.clock.now(),
      until: world.clock.now() + 86_400_000,
    });
    await world.pass(5_000);
    await outcome;
    await world.calm();
    await world.expectPromise();
    expect(await world.secret()).toBe(ORIGINAL.clientSecret);
  });

  test('never remove the secret in use, whatever is noted down', async () => {
    const node = world.start();
    await node.manager.rotate();
    const { attempt } = (await world.stored('rotation')) as { attempt: string };
    await world.plantRecord('wal/stray', {
      version: 1,
      credentials: [
        {
          tenant_id: ORIGINAL.tenantId,
          environment: ORIGINAL.environment,
          client_id: ORIGINAL.clientId,
          client_secret: await world.secret(),
        },
      ],
      attempt,
      since: world.clock.now(),
      until: world.clock.now() + 86_400_000,
    });
    await world.pass(40 * 60_000, 60_000);
    expect(node.logs('info', /clean-up after a rotation is done/)).toMatchObject([{ fields: { outcome: 'in use' } }]);
    await world.expectPromise();
  });

  test.each(['accepts', 'remove'] as const)('give way to credentials stored elsewhere, before %s', async (halting) => {
    const node = world.start();
    const answer = gate();
    const other = { ...ORIGINAL, clientSecret: 'Ope~canary-operator' };
    world.directory.plant(other.clientSecret);
    world.foreign.push(other.clientSecret, ORIGINAL.clientSecret);
    world.directory.before = async (call) => {
      if (call !== halting) return;
      await answer.closed;
      throw unavailable();
    };
    const outcome = expect(node.manager.rotate()).rejects.toMatchObject({ code: 'invalid_request' });
    await world.settle();
    await node.root.write({ credential: other });
    answer.open();
    await world.settle();
    world.directory.before = () => undefined;
    await world.pass(5_000);
    await outcome;
    await world.calm();
    await world.expectPromise();
  });

  test('rotate both when asked at once, and lose nothing', async () => {
    for (let round = 0; round < 4; round++) {
      const [one, other] = [world.start(), world.start()];
      await Promise.allSettled([one.manager.rotate(), other.manager.rotate(), world.pass(20_000)]);
      await world.calm();
      await world.expectPromise();
    }
  });
});
