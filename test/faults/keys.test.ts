import { createServer, connect } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { expectOutage } from './expectations.js';
import { FaultyCloud } from './harness.js';
import { SERVICES } from './services.js';

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;
const COOLDOWN = 30 * SECOND;
const AUTHORITY = { service: 'authority' } as const;

let cloud: FaultyCloud;

beforeAll(async () => {
  cloud = await FaultyCloud.start();
});
afterEach(() => cloud.reset());
afterAll(() => cloud.close());

describe('with the directory down', () => {
  test('known keys work for a day and no longer, and again once it is up', async () => {
    const host = await cloud.host({ maxRetries: 1 });
    expect(await host.login('listed')).toMatchObject({ status: 200 });
    cloud.break(AUTHORITY, { reset: true });
    for (const hours of [1, 6, 12, 4]) {
      cloud.clock.leap(hours * HOUR);
      expect(await host.login('listed')).toMatchObject({ status: 200 });
    }
    cloud.clock.leap(HOUR);
    expectOutage(host, await host.login('listed'));
    cloud.mend();
    expect(await host.loginAfterOutage('listed')).toMatchObject({ status: 200 });
  });

  test('aged keys serve logins that their refresh does not hold up', async () => {
    const host = await cloud.host({ maxRetries: 1 });
    await host.login('listed');
    cloud.break(AUTHORITY, { hang: true });
    cloud.clock.leap(HOUR);
    cloud.simulator.resetCalls();
    for (let login = 0; login < 3; login++) expect(await host.login('listed')).toMatchObject({ status: 200 });
    expect(cloud.calls(AUTHORITY)).toBe(1);
  });

  test('an access token in hand serves until it expires', async () => {
    const host = await cloud.host({ maxRetries: 1 });
    await host.login('placed');
    cloud.break(AUTHORITY, { status: 503 });
    cloud.clock.leap(HOUR - 60 * SECOND);
    expect(await host.login('placed')).toMatchObject({ status: 200 });
    cloud.clock.leap(60 * SECOND);
    expectOutage(host, await host.login('placed'));
    cloud.mend();
    expect(await host.login('placed')).toMatchObject({ status: 200 });
  });

  test('unknown key ids are an outage, not a denial', async () => {
    const host = await cloud.host({ maxRetries: 1 });
    await host.login('listed');
    cloud.break(AUTHORITY, { status: 503 });
    cloud.clock.leap(COOLDOWN);
    expectOutage(host, await host.send(await cloud.loginWithUnknownKey()));
  });
});

describe('unknown key ids', () => {
  test('cost one fetch per cooldown at most', async () => {
    const host = await cloud.host();
    await host.login('listed');
    for (const fetches of [1, 1, 2, 2, 3]) {
      const bodies = await Promise.all(Array.from({ length: 20 }, () => cloud.loginWithUnknownKey()));
      const answers = await Promise.all(bodies.map((body) => host.send(body)));
      expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(403));
      expect(await host.login('listed')).toMatchObject({ status: 200 });
      expect(cloud.calls(SERVICES['key set'])).toBe(fetches);
      cloud.clock.leap(0.6 * COOLDOWN);
    }
  });

  test('never hold up known ones, also while their fetch hangs', async () => {
    const host = await cloud.host({ maxRetries: 1 });
    await host.login('listed');
    cloud.clock.leap(COOLDOWN);
    cloud.simulator.resetCalls();
    cloud.break(AUTHORITY, { hang: true });
    let answered = 0;
    const body = await cloud.loginWithUnknownKey();
    const waiting = Array.from({ length: 20 }, () => host.send(body).finally(() => answered++));
    await cloud.called(AUTHORITY, 1);
    for (let login = 0; login < 5; login++) expect(await host.login('listed')).toMatchObject({ status: 200 });
    expect(answered).toBe(0);
    expect(cloud.calls(AUTHORITY)).toBe(1);
    cloud.clock.leap(COOLDOWN);
    for (const answer of await Promise.all(waiting)) expectOutage(host, answer);
  });
});

describe('cold start', () => {
  test.each([
    ['hangs', { hang: true }],
    ['answers 503', { status: 503 }],
  ])('while the directory %s: 503 to all, one fetch, and logins without a restart', async (_, trouble) => {
    const host = await cloud.host({ providerTimeout: 1, maxRetries: 1 });
    cloud.break(AUTHORITY, trouble);
    const answers = await Promise.all(Array.from({ length: 10 }, () => host.login('listed')));
    for (const answer of answers) expectOutage(host, answer);
    expect(cloud.calls(AUTHORITY)).toBe(1);
    cloud.mend();
    cloud.clock.leap(COOLDOWN);
    expect(await host.loginAfterOutage('listed')).toMatchObject({ status: 200 });
  });

  test('before the directory listens: 503, and logins without a restart', async () => {
    const door = await Door.at(cloud.simulator.url);
    await door.shut();
    const host = await cloud.host({ environment: { authorityHost: door.url } });
    expectOutage(host, await host.login('listed'));
    await door.open();
    expect(await host.loginAfterOutage('listed')).toMatchObject({ status: 200 });
    await door.shut();
  });
});

/** Another port of a server, which can be closed and opened again. */
class Door {
  readonly #sockets = new Set<Socket>();
  #server: Server | undefined;

  private constructor(
    readonly target: number,
    public port: number,
  ) {}

  static async at(url: string): Promise<Door> {
    const door = new Door(Number(new URL(url).port), 0);
    await door.open();
    return door;
  }

  get url(): string {
    return `https://127.0.0.1:${this.port}`;
  }

  async open(): Promise<void> {
    const server = createServer((near) => {
      const far = connect(this.target, '127.0.0.1');
      for (const [from, to] of [
        [near, far],
        [far, near],
      ] as const) {
        this.#sockets.add(from);
        from.pipe(to);
        from.on('error', () => to.destroy());
        from.on('close', () => to.destroy());
      }
    });
    await new Promise<void>((resolve) => server.listen(this.port, '127.0.0.1', resolve));
    this.port = (server.address() as AddressInfo).port;
    this.#server = server;
  }

  async shut(): Promise<void> {
    const closed = new Promise((resolve) => this.#server?.close(resolve));
    for (const socket of this.#sockets) socket.destroy();
    this.#sockets.clear();
    await closed;
  }
}
