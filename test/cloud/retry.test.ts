import { describe, expect, test } from '@jest/globals';
import { parseRetryAfter } from '../../src/cloud/retry-after.js';
import { retrying } from '../../src/cloud/retry.js';
import { withDeadline } from '../../src/cloud/signals.js';
import { OutboundError } from '../../src/contract/index.js';
import type { OutboundRequest } from '../../src/contract/index.js';
import { ManualClock } from '../support/clock.js';
import { answer, fakeTransport, sleeplessClock } from './fakes.js';

const LIMITS = { maxAttempts: 3, retryDelay: 4, maxRetryDelay: 60 };

function request(signal = new AbortController().signal): OutboundRequest {
  return { method: 'GET', url: 'https://manager.example/', signal };
}

describe('retries', () => {
  test.each([408, 429, 500, 502, 503, 504])('repeats after status %i, as often as configured', async (status) => {
    const transport = fakeTransport(() => answer(status));
    const send = retrying(transport, sleeplessClock(), LIMITS);
    expect((await send(request())).status).toBe(status);
    expect(transport.requests).toHaveLength(3);
  });

  test.each([200, 204, 302, 400, 401, 403, 404, 409, 501, 505])('takes status %i as it is', async (status) => {
    const transport = fakeTransport(() => answer(status));
    const send = retrying(transport, sleeplessClock(), LIMITS);
    expect((await send(request())).status).toBe(status);
    expect(transport.requests).toHaveLength(1);
  });

  test('repeats after a lost connection', async () => {
    const transport = fakeTransport((_, index) => (index < 2 ? new OutboundError('connection', 'lost') : answer(200)));
    expect((await retrying(transport, sleeplessClock(), LIMITS)(request())).status).toBe(200);
  });

  test.each(['aborted', 'too_large'] as const)('does not repeat what was %s', async (failure) => {
    const transport = fakeTransport(() => new OutboundError(failure, 'no'));
    await expect(retrying(transport, sleeplessClock(), LIMITS)(request())).rejects.toMatchObject({ failure });
    expect(transport.requests).toHaveLength(1);
  });

  test('does not repeat when one attempt is all there is', async () => {
    const transport = fakeTransport(() => answer(503));
    await retrying(transport, sleeplessClock(), { ...LIMITS, maxAttempts: 1 })(request());
    expect(transport.requests).toHaveLength(1);
  });

  test('doubles the delay up to the maximum, less at most a half of jitter', async () => {
    const clock = sleeplessClock();
    const limits = { maxAttempts: 5, retryDelay: 4, maxRetryDelay: 10 };
    await retrying(
      fakeTransport(() => answer(503)),
      clock,
      limits,
    )(request());
    expect(clock.sleeps).toHaveLength(4);
    [4000, 8000, 10000, 10000].forEach((full, index) => {
      expect(clock.sleeps[index]).toBeLessThanOrEqual(full);
      expect(clock.sleeps[index]).toBeGreaterThanOrEqual(full / 2);
    });
  });

  test('waits as long as the provider asks', async () => {
    const clock = sleeplessClock();
    const transport = fakeTransport(() => answer(429, '', { 'retry-after': '20' }));
    await retrying(transport, clock, LIMITS)(request());
    expect(clock.sleeps).toEqual([20_000, 20_000]);
  });

  test('gives up at once when the provider asks for more than the maximum', async () => {
    const clock = sleeplessClock();
    const transport = fakeTransport(() => answer(429, '', { 'retry-after': '61' }));
    expect((await retrying(transport, clock, LIMITS)(request())).status).toBe(429);
    expect(clock.sleeps).toEqual([]);
  });

  test('ends with the last answer when the signal aborts during a pause', async () => {
    const abort = new AbortController();
    const transport = fakeTransport(() => answer(429, '', { 'retry-after': '20' }));
    const outcome = retrying(transport, new ManualClock(), LIMITS)(request(abort.signal));
    abort.abort();
    expect((await outcome).status).toBe(429);
    expect(transport.requests).toHaveLength(1);
  });
});

describe('an attempt under a deadline', () => {
  const unanswered = ({ signal }: OutboundRequest): Promise<Error> =>
    new Promise((resolve) => {
      signal.addEventListener('abort', () => resolve(new OutboundError('aborted', 'late')));
    });
  const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  test('that is not answered makes room for the next after its share of the time', async () => {
    const clock = new ManualClock();
    const transport = fakeTransport((asked, index) => (index < 2 ? unanswered(asked) : answer(200)));
    const send = retrying(transport, clock, { ...LIMITS, retryDelay: 0 });
    const sent = withDeadline(clock, 30_000, (signal) => send(request(signal)));
    for (const [share, attempts] of [
      [10_000, 1],
      [10_000, 2],
    ] as const) {
      clock.advance(share - 1);
      await settled();
      expect(transport.requests).toHaveLength(attempts);
      clock.advance(1);
      await settled();
      // The pause of no length.
      clock.advance(0);
      await settled();
    }
    expect((await sent).status).toBe(200);
  });

  test('may take all of the time when it is the last one', async () => {
    const clock = new ManualClock();
    const transport = fakeTransport(unanswered);
    const send = retrying(transport, clock, { ...LIMITS, maxAttempts: 1 });
    const sent = withDeadline(clock, 30_000, (signal) => send(request(signal)));
    clock.advance(29_999);
    await settled();
    expect(transport.requests[0]?.signal.aborted).toBe(false);
    clock.advance(1);
    await expect(sent).rejects.toMatchObject({ failure: 'aborted' });
  });

  test.each([
    ['the provider wants a pause beyond it', { 'retry-after': '30' }],
    ['the pause as configured goes beyond it', {}],
  ])('is the last one when %s', async (_, headers) => {
    const clock = sleeplessClock();
    const transport = fakeTransport(() => answer(503, '', headers));
    const send = retrying(transport, clock, { ...LIMITS, retryDelay: 60 });
    expect((await withDeadline(clock, 30_000, (signal) => send(request(signal)))).status).toBe(503);
    expect(transport.requests).toHaveLength(1);
  });
});

describe('Retry-After', () => {
  const now = Date.UTC(2026, 0, 1, 12, 0, 0);

  test.each([
    ['0', 0],
    ['120', 120],
    ['Thu, 01 Jan 2026 12:01:30 GMT', 90],
    ['Thu, 01 Jan 2026 11:00:00 GMT', 0],
    [undefined, undefined],
    ['', undefined],
    ['soon', undefined],
    ['9'.repeat(40), undefined],
  ])('reads %j as %j seconds', (header, seconds) => {
    expect(parseRetryAfter(header, now)).toBe(seconds);
  });
});
