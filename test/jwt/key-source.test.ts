import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { OutboundError } from '../../src/contract/index.js';
import type { OutboundRequest, OutboundResponse } from '../../src/contract/index.js';
import { COOLDOWN, FETCH_TIMEOUT, REFRESH_AFTER, USABLE_FOR } from '../../src/jwt/key-source.js';
import { createTokenValidator } from '../../src/jwt/index.js';
import { createKey, createScene, goodClaims, jsonAnswer, tokenOf } from './fake-directory.js';
import type { Scene } from './fake-directory.js';

const key = createKey('first');
const next = createKey('next');
// Outlives every key, so that only the keys' age counts here.
const lasting = { exp: Number(goodClaims()['iat']) + 10 * 86_400 };
const token = tokenOf(key, lasting);
const nextToken = tokenOf(next, lasting);
const unknownToken = (i: number): string => tokenOf(key, {}, { kid: `unknown-${i}` });

const UNAVAILABLE = { code: 'provider_unavailable' };
const UNKNOWN_KEY = { code: 'login_denied', rule: 'token-key' };

const refuseConnections = (request: OutboundRequest): Promise<OutboundResponse> =>
  Promise.reject(new OutboundError('connection', `GET ${request.url} got no answer (ECONNREFUSED).`));

/** Answers only when the caller gives up. */
const hang = ({ signal }: OutboundRequest): Promise<OutboundResponse> =>
  new Promise((_, reject) => {
    const abort = (): void => reject(new OutboundError('aborted', 'The request was aborted.'));
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort);
  });

/** Lets background work go on until it has come that far; fails with the test's own timeout. */
async function eventually(condition: () => boolean): Promise<void> {
  while (!condition()) await setImmediate();
}

const flood = (scene: Scene, size: number, from = 0): Promise<PromiseSettledResult<unknown>[]> =>
  Promise.allSettled(Array.from({ length: size }, (_, i) => scene.validate(unknownToken(from + i))));

describe('with the directory up', () => {
  test('fifty cold logins share one fetch', async () => {
    const scene = createScene(key);
    await Promise.all(Array.from({ length: 50 }, () => scene.validate(token)));
    expect(scene.directory.requests).toHaveLength(2);
  });

  test('fetches nothing for the version that nobody uses', async () => {
    const scene = createScene(key);
    await scene.validate(token);
    expect(scene.directory.keyFetches('v2')).toBe(0);
    await scene.validate(tokenOf(key, {}, {}, 'v2'));
    expect(scene.directory.keyFetches('v2')).toBe(1);
  });

  test('keys younger than their age limit are not fetched again', async () => {
    const scene = createScene(key);
    await scene.validate(token);
    scene.clock.advance(REFRESH_AFTER - 1);
    await scene.validate(token);
    expect(scene.directory.keyFetches()).toBe(1);
  });

  test('aged keys are refreshed in the background, once, while logins go on', async () => {
    const scene = createScene(key);
    await scene.validate(token);
    scene.directory.intercept = hang;
    scene.clock.advance(REFRESH_AFTER);
    await Promise.all(Array.from({ length: 20 }, () => scene.validate(token)));
    expect(scene.directory.requests).toHaveLength(3);
  });

  test('a rollover is picked up by the first token of the new key', async () => {
    const scene = createScene(key);
    await scene.validate(token);
    scene.directory.published.v1 = [key.jwk, next.jwk];
    scene.clock.advance(COOLDOWN);
    await expect(scene.validate(nextToken)).resolves.toHaveProperty('groupOverage', false);
    await expect(scene.validate(token)).resolves.toHaveProperty('groupOverage', false);
    expect(scene.directory.keyFetches()).toBe(2);
  });

  test('a retired key is dropped with the next fetch, also for tokens that were recognised', async () => {
    const scene = createScene(key);
    await scene.validate(token);
    await scene.validate(token);
    scene.directory.published.v1 = [next.jwk];
    scene.clock.advance(COOLDOWN);
    await scene.validate(nextToken);
    await expect(scene.validate(token)).rejects.toMatchObject(UNKNOWN_KEY);
  });

  test('a key that changes under its id no longer vouches for tokens that were recognised', async () => {
    const scene = createScene(key);
    await scene.validate(token);
    scene.directory.published.v1 = [{ ...createKey('other').jwk, kid: key.kid }];
    scene.clock.advance(REFRESH_AFTER);
    await scene.validate(token);
    const untilRefused = async (): Promise<never> => {
      for (;;) {
        await setImmediate();
        await scene.validate(token);
      }
    };
    await expect(untilRefused()).rejects.toMatchObject({ rule: 'token-signature' });
  });

  test('a clock that is set back does not stop refreshes', async () => {
    const scene = createScene(key);
    await scene.validate(token);
    scene.clock.advance(-3 * 3_600_000);
    const early = tokenOf(key, { nbf: undefined, iat: undefined });
    await scene.validate(early);
    await eventually(() => scene.directory.keyFetches() === 2);
  });
});

test.each(['succeeds', 'fails'])('a fetch that %s leaves no timer behind', async (outcome) => {
  const timers: (AbortSignal | undefined)[] = [];
  const { clock, directory, logger, configuration } = createScene(key);
  const sleep = (milliseconds: number, signal?: AbortSignal): Promise<void> => {
    timers.push(signal);
    return clock.sleep(milliseconds, signal);
  };
  const watched = { now: () => clock.now(), sleep };
  const validator = createTokenValidator({ transport: directory, clock: watched, logger });
  if (outcome === 'fails') directory.intercept = refuseConnections;
  await Promise.allSettled([validator.validate(token, configuration, new AbortController().signal)]);
  expect(timers.map((signal) => signal?.aborted)).toStrictEqual([true]);
});

describe('a flood of unknown key ids', () => {
  test('costs one fetch per cooldown and leaves other logins alone', async () => {
    const scene = createScene(key);
    await scene.validate(token);
    for (let round = 1; round <= 3; round++) {
      for (const outcome of await flood(scene, 100, round * 1000)) {
        expect(outcome).toMatchObject({ status: 'rejected', reason: UNKNOWN_KEY });
      }
      await scene.validate(token);
      // The first fetch started a cooldown too.
      expect(scene.directory.keyFetches()).toBe(round);
      scene.clock.advance(COOLDOWN);
    }
  });

  test('costs one call per cooldown while the directory is down', async () => {
    const scene = createScene(key);
    await scene.validate(token);
    scene.directory.intercept = refuseConnections;
    scene.clock.advance(COOLDOWN);
    const before = scene.directory.requests.length;
    for (let round = 1; round <= 3; round++) {
      for (const outcome of await flood(scene, 100)) {
        expect(outcome).toMatchObject({ status: 'rejected', reason: { ...UNAVAILABLE, retryAfter: 30 } });
      }
      await scene.validate(token);
      expect(scene.directory.requests.length - before).toBe(round);
      scene.clock.advance(COOLDOWN);
    }
  });

  test('that waits for a directory that hangs does not hold up known keys', async () => {
    const scene = createScene(key);
    await scene.validate(token);
    scene.directory.intercept = hang;
    scene.clock.advance(COOLDOWN);
    const before = scene.directory.requests.length;
    const waiting = flood(scene, 50);
    await eventually(() => scene.directory.requests.length > before);
    await expect(scene.validate(token)).resolves.toHaveProperty('groupOverage', false);
    scene.clock.advance(FETCH_TIMEOUT);
    for (const outcome of await waiting) expect(outcome).toMatchObject({ reason: UNAVAILABLE });
    expect(scene.directory.requests.length - before).toBe(1);
  });

  test('does not use up the memory of recognised tokens', async () => {
    const scene = createScene(key);
    await scene.validate(token);
    await flood(scene, 3000);
    await expect(scene.validate(token)).resolves.toHaveProperty('groupOverage', false);
    expect(scene.directory.keyFetches()).toBe(1);
  });
});

describe('with the directory down', () => {
  test.each<[string, (request: OutboundRequest) => Promise<OutboundResponse>]>([
    ['refuses connections', refuseConnections],
    ['answers too much', () => Promise.reject(new OutboundError('too_large', 'Too large.'))],
    ['answers garbage', () => Promise.resolve({ status: 200, headers: {}, body: Buffer.from('<html>canary-body') })],
    ['answers nothing', () => Promise.resolve({ status: 200, headers: {}, body: Buffer.alloc(0) })],
    ['redirects', () => Promise.resolve({ ...jsonAnswer({}, 302), headers: { location: 'https://attacker.example' } })],
    ['answers 500', () => Promise.resolve(jsonAnswer({}, 500))],
    ['answers an empty object', () => Promise.resolve(jsonAnswer({}))],
  ])('that %s: cold logins say so, known keys keep working', async (_, outage) => {
    const cold = createScene(key);
    cold.directory.intercept = outage;
    await expect(cold.validate(token)).rejects.toMatchObject({ ...UNAVAILABLE, retryAfter: 1 });
    expect(cold.directory.requests).toHaveLength(1);
    expect(cold.logger.lines).toMatchObject([{ level: 'warn', message: 'signing keys could not be fetched' }]);

    const warm = createScene(key);
    await warm.validate(token);
    warm.directory.intercept = outage;
    warm.clock.advance(USABLE_FOR - 1);
    await warm.validate(token);
    await eventually(() => warm.logger.lines.length > 0);
    await expect(warm.validate(token)).resolves.toHaveProperty('groupOverage', false);
  });

  test('known keys work for a day after the last good fetch and no longer', async () => {
    const scene = createScene(key);
    await scene.validate(token);
    scene.directory.intercept = refuseConnections;
    scene.clock.advance(USABLE_FOR - 1);
    await scene.validate(token);
    await eventually(() => scene.logger.lines.length === 1);
    scene.clock.advance(COOLDOWN);
    await expect(scene.validate(token)).rejects.toMatchObject(UNAVAILABLE);
    scene.directory.intercept = undefined;
    scene.clock.advance(COOLDOWN);
    await expect(scene.validate(token)).resolves.toHaveProperty('groupOverage', false);
  });

  test('a cold start retries after 1, 2, 4, ... and at most 30 seconds', async () => {
    const scene = createScene(key);
    scene.directory.intercept = refuseConnections;
    for (const [i, seconds] of [1, 2, 4, 8, 16, 30, 30].entries()) {
      await expect(scene.validate(token)).rejects.toMatchObject({ ...UNAVAILABLE, retryAfter: seconds });
      scene.clock.advance(seconds * 1000 - 1);
      await flood(scene, 10);
      expect(scene.directory.requests).toHaveLength(i + 1);
      scene.clock.advance(1);
    }
  });

  test('a cold start recovers with the first attempt after the outage', async () => {
    const scene = createScene(key);
    scene.directory.intercept = refuseConnections;
    await expect(scene.validate(token)).rejects.toMatchObject(UNAVAILABLE);
    scene.directory.intercept = undefined;
    scene.clock.advance(1000);
    await expect(scene.validate(token)).resolves.toHaveProperty('groupOverage', false);
  });

  test('an empty key set does not take the known keys away', async () => {
    const scene = createScene(key);
    await scene.validate(token);
    scene.directory.published.v1 = [];
    scene.clock.advance(REFRESH_AFTER);
    await scene.validate(token);
    await eventually(() => scene.logger.lines.length > 0);
    await expect(scene.validate(token)).resolves.toHaveProperty('groupOverage', false);
  });

  test('a fetch that hangs ends after its timeout', async () => {
    const scene = createScene(key);
    scene.directory.intercept = hang;
    const login = scene.validate(token);
    await eventually(() => scene.directory.requests.length === 1);
    scene.clock.advance(FETCH_TIMEOUT);
    await expect(login).rejects.toMatchObject(UNAVAILABLE);
  });
});

describe('signals', () => {
  test('one caller that gives up does not fail the others', async () => {
    const scene = createScene(key);
    let release = (): void => undefined;
    const gate = new Promise<void>((resolve) => (release = resolve));
    scene.directory.intercept = (request) =>
      request.url.endsWith('/keys/v1') ? gate.then(() => jsonAnswer({ keys: [key.jwk] })) : undefined;
    const impatient = new AbortController();
    const first = scene.validator.validate(token, scene.configuration, impatient.signal);
    const second = scene.validate(token);
    await eventually(() => scene.directory.keyFetches() === 1);
    impatient.abort();
    await expect(first).rejects.toMatchObject({ ...UNAVAILABLE, retryAfter: 1 });
    release();
    await expect(second).resolves.toHaveProperty('groupOverage', false);
  });

  test('a caller that has given up before is not kept waiting', async () => {
    const scene = createScene(key);
    scene.directory.intercept = hang;
    await expect(scene.validator.validate(token, scene.configuration, AbortSignal.abort())).rejects.toMatchObject(
      UNAVAILABLE,
    );
  });

  test('closing ends a fetch under way, and no other succeeds', async () => {
    const scene = createScene(key);
    scene.directory.intercept = hang;
    const login = scene.validate(token);
    await eventually(() => scene.directory.requests.length === 1);
    await scene.validator.close();
    await scene.validator.close();
    await expect(login).rejects.toMatchObject(UNAVAILABLE);
    scene.clock.advance(COOLDOWN);
    await expect(scene.validate(token)).rejects.toMatchObject(UNAVAILABLE);
  });
});

describe('retries', () => {
  /** Fails that many requests and lets the clock run whenever someone sleeps. */
  function failing(times: number, answer: () => Promise<OutboundResponse>, maxAttempts: number): Scene {
    const scene = createScene(key, { maxAttempts });
    let left = times;
    scene.directory.intercept = () => (left-- > 0 ? answer() : undefined);
    return scene;
  }

  async function whileTimePasses(scene: Scene, login: Promise<unknown>): Promise<void> {
    const over = new AbortController();
    const end = (): void => over.abort();
    login.then(end, end);
    while (!over.signal.aborted) {
      await setImmediate();
      scene.clock.advance(100);
    }
  }

  test.each<[string, () => Promise<OutboundResponse>]>([
    ['a refused connection', () => Promise.reject(new OutboundError('connection', 'Refused.'))],
    ['408', () => Promise.resolve(jsonAnswer({}, 408))],
    ['429', () => Promise.resolve(jsonAnswer({}, 429))],
    ['429 with Retry-After', () => Promise.resolve({ ...jsonAnswer({}, 429), headers: { 'retry-after': '1' } })],
    ['503', () => Promise.resolve(jsonAnswer({}, 503))],
  ])('%s is retried as often as configured', async (_, answer) => {
    const scene = failing(2, answer, 3);
    const login = scene.validate(token);
    await whileTimePasses(scene, login);
    await expect(login).resolves.toHaveProperty('groupOverage', false);
    expect(scene.directory.requests).toHaveLength(4);

    const short = failing(2, answer, 2);
    const failed = short.validate(token);
    await whileTimePasses(short, failed);
    await expect(failed).rejects.toMatchObject(UNAVAILABLE);
    expect(short.directory.requests).toHaveLength(2);
  });

  test.each<[string, () => Promise<OutboundResponse>]>([
    ['404', () => Promise.resolve(jsonAnswer({}, 404))],
    ['an answer that is too large', () => Promise.reject(new OutboundError('too_large', 'Too large.'))],
    ['an answer that is not JSON', () => Promise.resolve({ status: 200, headers: {}, body: Buffer.from('no') })],
    [
      'a wish to come back after the deadline',
      () => Promise.resolve({ ...jsonAnswer({}, 429), headers: { 'retry-after': '3600' } }),
    ],
    [
      'a wish to come back after the longest delay',
      () => Promise.resolve({ ...jsonAnswer({}, 429), headers: { 'retry-after': '3' } }),
    ],
  ])('%s is not retried', async (_, answer) => {
    const scene = failing(1, answer, 3);
    await expect(scene.validate(token)).rejects.toMatchObject(UNAVAILABLE);
    expect(scene.directory.requests).toHaveLength(1);
  });

  test('a request that hangs is given up after its share of the time, and made again', async () => {
    const scene = createScene(key, { maxAttempts: 3, retryDelay: 0 });
    let hung = 0;
    scene.directory.intercept = (request) => (hung++ < 1 ? hang(request) : undefined);
    const login = scene.validate(token);
    await eventually(() => hung === 1);
    scene.clock.advance(FETCH_TIMEOUT / 3 - 1);
    await setImmediate();
    expect(scene.directory.requests).toHaveLength(1);
    await whileTimePasses(scene, login);
    await expect(login).resolves.toHaveProperty('groupOverage', false);
    expect(scene.directory.requests).toHaveLength(3);
  });

  test.each([
    ['20', 20],
    ['Thu, 01 Jan 2026 00:00:20 GMT', 20],
    ['3600', COOLDOWN / 1000],
    ['0', 1],
    ['-5', 1],
    ['canary-soon', 1],
  ])('a directory that asks to come back after %j is left alone for %i seconds', async (header, seconds) => {
    const answer = { ...jsonAnswer({}, 429), headers: { 'retry-after': header } };
    const scene = failing(1, () => Promise.resolve(answer), 1);
    await expect(scene.validate(token)).rejects.toMatchObject({ ...UNAVAILABLE, retryAfter: seconds });
    scene.clock.advance(seconds * 1000 - 1);
    await expect(scene.validate(token)).rejects.toMatchObject(UNAVAILABLE);
    expect(scene.directory.requests).toHaveLength(1);
    scene.clock.advance(1);
    await expect(scene.validate(token)).resolves.toHaveProperty('groupOverage', false);
  });

  test('pauses double, less at most a half of jitter, up to the longest', async () => {
    const scene = createScene(key, { maxAttempts: 4, retryDelay: 1, maxRetryDelay: 2 });
    const pauses: number[] = [];
    const clock = {
      now: () => scene.clock.now(),
      sleep: (milliseconds: number, signal?: AbortSignal): Promise<void> => {
        if (milliseconds > 2_000) return scene.clock.sleep(milliseconds, signal);
        pauses.push(milliseconds);
        return Promise.resolve();
      },
    };
    const { directory: transport, logger, configuration } = scene;
    transport.intercept = refuseConnections;
    const validator = createTokenValidator({ transport, clock, logger });
    await expect(validator.validate(token, configuration, new AbortController().signal)).rejects.toThrow();
    expect(pauses).toHaveLength(3);
    [1000, 2000, 2000].forEach((full, index) => {
      expect(pauses[index]).toBeLessThanOrEqual(full);
      expect(pauses[index]).toBeGreaterThanOrEqual(full / 2);
    });
  });
});
