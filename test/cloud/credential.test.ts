import { describe, expect, test } from '@jest/globals';
import { Credential } from '../../src/cloud/credential.js';
import type { AccessToken } from '../../src/cloud/credential.js';
import { Failures } from '../../src/cloud/failures.js';
import { OutboundError } from '../../src/contract/index.js';
import { ManualClock } from '../support/clock.js';
import { recordingLogger } from '../support/logger.js';

const HOUR = 3_600_000;
const forever = (): AbortSignal => new AbortController().signal;

/** A directory that numbers its tokens, waits when told to hold, and fails when told to fail. */
class Directory {
  calls = 0;
  failing = false;
  lifetime = HOUR;
  #gate = Promise.resolve();

  hold(): () => void {
    let open: () => void = () => undefined;
    this.#gate = new Promise((resolve) => (open = resolve));
    return () => open();
  }

  readonly source = async (signal: AbortSignal): Promise<AccessToken> => {
    this.calls += 1;
    const value = `canary-token-${this.calls}`;
    const aborted = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(new OutboundError('aborted', 'late')));
    });
    await Promise.race([this.#gate, aborted]);
    if (this.failing) throw new OutboundError('connection', 'lost');
    return { value, lifetime: this.lifetime };
  };
}

function setUp(): { directory: Directory; clock: ManualClock; credential: Credential } {
  const directory = new Directory();
  const clock = new ManualClock();
  const credential = new Credential(directory.source, clock, new Failures(recordingLogger(), clock));
  return { directory, clock, credential };
}

/** Lets everything that is ready to go on do so. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('access token', () => {
  test('is fetched once for concurrent callers and kept', async () => {
    const { directory, credential } = setUp();
    const tokens = await Promise.all(Array.from({ length: 20 }, () => credential.token(forever())));
    expect(new Set(tokens)).toEqual(new Set(['canary-token-1']));
    await credential.token(forever());
    expect(directory.calls).toBe(1);
  });

  test('is renewed in the background before it expires', async () => {
    const { directory, clock, credential } = setUp();
    await credential.token(forever());
    clock.advance(HOUR - 300_000);
    const tokens = await Promise.all([credential.token(forever()), credential.token(forever())]);
    expect(tokens).toEqual(['canary-token-1', 'canary-token-1']);
    await settled();
    expect(await credential.token(forever())).toBe('canary-token-2');
    expect(directory.calls).toBe(2);
  });

  test('that lives shortly is not renewed at each call', async () => {
    const { directory, credential } = setUp();
    directory.lifetime = 60_000;
    await credential.token(forever());
    await credential.token(forever());
    expect(directory.calls).toBe(1);
  });

  test('serves until it expires when its renewal fails', async () => {
    const { directory, clock, credential } = setUp();
    await credential.token(forever());
    directory.failing = true;
    clock.advance(HOUR - 1);
    expect(await credential.token(forever())).toBe('canary-token-1');
    await settled();
    clock.advance(1);
    await expect(credential.token(forever())).rejects.toMatchObject({ code: 'provider_unavailable' });
  });

  test('is asked for again after a failure', async () => {
    const { directory, credential } = setUp();
    directory.failing = true;
    await expect(credential.token(forever())).rejects.toMatchObject({ code: 'provider_unavailable' });
    directory.failing = false;
    expect(await credential.token(forever())).toBe('canary-token-2');
  });

  test('still comes for the others when one caller gives up', async () => {
    const { directory, credential } = setUp();
    const open = directory.hold();
    const impatient = new AbortController();
    const given = credential.token(impatient.signal);
    const awaited = credential.token(forever());
    impatient.abort();
    await expect(given).rejects.toMatchObject({ code: 'provider_unavailable' });
    open();
    expect(await awaited).toBe('canary-token-1');
    expect(directory.calls).toBe(1);
  });

  test('is given up after thirty seconds, even where the source heeds no signal', async () => {
    const clock = new ManualClock();
    const never = (): Promise<never> => new Promise(() => undefined);
    const credential = new Credential(never, clock, new Failures(recordingLogger(), clock));
    const token = credential.token(forever());
    clock.advance(30_000);
    await expect(token).rejects.toMatchObject({ code: 'provider_unavailable' });
  });

  test('is given up after thirty seconds', async () => {
    const { directory, clock, credential } = setUp();
    directory.hold();
    const token = credential.token(forever());
    clock.advance(30_000);
    await expect(token).rejects.toMatchObject({ code: 'provider_unavailable' });
  });
});

describe('refused access token', () => {
  test('is replaced once for all who met the refusal', async () => {
    const { directory, clock, credential } = setUp();
    const refused = await credential.token(forever());
    clock.advance(60_000);
    const others = await Promise.all(Array.from({ length: 5 }, () => credential.replacement(refused, forever())));
    expect(new Set(others)).toEqual(new Set(['canary-token-2']));
    expect(directory.calls).toBe(2);
  });

  test('is not replaced for a minute after a replacement was refused too', async () => {
    const { directory, clock, credential } = setUp();
    const first = await credential.token(forever());
    const second = await credential.replacement(first, forever());
    credential.replacementRefused();
    clock.advance(59_999);
    expect(await credential.replacement(second!, forever())).toBeUndefined();
    expect(directory.calls).toBe(2);
    clock.advance(1);
    expect(await credential.replacement(second!, forever())).toBe('canary-token-3');
  });
});
