import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { expectOutage } from './expectations.js';
import { FaultyCloud } from './harness.js';
import type { Answer } from './harness.js';

/** Lookups of one subscription that may be at work or wait: half of the waiting room. */
const ROOM = 256;
/** Of these, the ones at work. */
const AT_WORK = 16;
const BEYOND = 4;
const LOOKUP_DEADLINE = 30_000;

let cloud: FaultyCloud;

beforeAll(async () => {
  cloud = await FaultyCloud.start();
});
afterEach(() => cloud.reset());
afterAll(() => cloud.close());

describe('a subscription that does not answer', () => {
  test('fills its own room, is then refused at once, and holds up no other', async () => {
    const slow = randomUUID();
    const calls = { service: 'resource-manager', path: new RegExp(slow) } as const;
    const machines = Array.from({ length: ROOM + BEYOND }, (_, index) =>
      cloud.simulator.addVirtualMachine({ name: `slow-${index}`, subscriptionId: slow, systemAssigned: true }),
    );
    const logins = await Promise.all(machines.map((machine) => cloud.loginOf(machine, 'placed')));
    const host = await cloud.host({ maxRetries: 1 });
    expect(await host.login('placed')).toMatchObject({ status: 200 });

    cloud.break(calls, { hang: true });
    const answered: Answer[] = [];
    const all = logins.map((login) => host.send(login).then((answer) => void answered.push(answer)));
    while (answered.length < BEYOND) await new Promise(setImmediate);
    for (let index = 0; index < 20; index++) {
      const machine = cloud.simulator.addVirtualMachine({ name: `quick-${index}`, systemAssigned: true });
      expect(await host.send(await cloud.loginOf(machine, 'placed'))).toMatchObject({ status: 200 });
    }

    expect(answered).toHaveLength(BEYOND);
    for (const answer of answered) expectOutage(host, answer);
    expect(cloud.calls(calls)).toBe(AT_WORK);

    cloud.mend();
    cloud.clock.leap(LOOKUP_DEADLINE);
    await Promise.all(all);
    expect(answered.every(({ status, retryAfter }) => status === 503 && retryAfter !== undefined)).toBe(true);
    expect(await host.send(logins[0]!)).toMatchObject({ status: 200 });
  });
});
