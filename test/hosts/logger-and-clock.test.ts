import { PassThrough, Writable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { jsonLogger, systemClock } from '../../src/hosts/core/index.js';

function logged(write: (logger: ReturnType<typeof jsonLogger>) => void, level?: 'trace' | 'warn'): unknown[] {
  const stream = new PassThrough();
  write(jsonLogger(stream, level));
  const text = String(stream.read() ?? '');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as unknown);
}

describe('the JSON logger', () => {
  it('writes one object a line', () => {
    const [line, ...rest] = logged((logger) =>
      logger.info('hello\nworld', { mount: 'cloud', nested: { a: [1, null] } }),
    );
    expect(rest).toEqual([]);
    expect(line).toEqual({
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      level: 'info',
      message: 'hello\nworld',
      mount: 'cloud',
      nested: { a: [1, null] },
    });
  });

  it('writes what matters enough', () => {
    const all = (logger: ReturnType<typeof jsonLogger>): void => {
      for (const level of ['trace', 'debug', 'info', 'warn', 'error'] as const) logger[level](level);
    };
    const levels = (lines: unknown[]): unknown[] => lines.map((line) => (line as { level: string }).level);
    expect(levels(logged(all))).toEqual(['info', 'warn', 'error']);
    expect(levels(logged(all, 'warn'))).toEqual(['warn', 'error']);
    expect(levels(logged(all, 'trace'))).toHaveLength(5);
  });

  it('lets no field pose as another', () => {
    const fields = JSON.parse(
      '{"level":"error","message":"x","timestamp":0,"dropped":9,"__proto__":{"a":1}}',
    ) as object;
    const [line] = logged((logger) => logger.info('true', { ...fields }));
    expect(line).toMatchObject({ level: 'info', message: 'true', timestamp: expect.any(String) });
    expect(line).not.toHaveProperty('dropped');
  });

  it('writes errors with their causes', () => {
    const error = new TypeError('outer', { cause: Object.assign(new Error('inner'), { code: 'ECONNREFUSED' }) });
    expect(logged((logger) => logger.error('failed', { error }))).toMatchObject([
      {
        error: {
          name: 'TypeError',
          message: 'outer',
          stack: expect.stringContaining('TypeError: outer'),
          cause: { message: 'inner', code: 'ECONNREFUSED' },
        },
      },
    ]);
  });

  it('survives whatever it is given, and cuts it', () => {
    const cycle: Record<string, unknown> = {};
    cycle['self'] = cycle;
    const hostile = {
      get trap(): never {
        throw new Error('no');
      },
      cycle,
      big: 10n,
      nothing: undefined,
      number: NaN,
      date: new Date(NaN),
      bytes: new Uint8Array(9),
      run: () => 1,
      long: 'x'.repeat(100_000),
      wide: Array.from({ length: 100_000 }, () => 1),
      toJSON: () => {
        throw new Error('no');
      },
    };
    const [line] = logged((logger) => logger.info('hostile', hostile));
    expect(line).toMatchObject({
      trap: '[unreadable]',
      big: '10',
      number: 'NaN',
      date: 'invalid date',
      bytes: '[9 bytes]',
    });
    expect(JSON.stringify(line).length).toBeLessThan(20_000);
    const revoked = Proxy.revocable({}, {});
    revoked.revoke();
    expect(logged((logger) => logger.info('revoked', revoked.proxy))).toHaveLength(1);
  });

  it('survives a stream that breaks', async () => {
    const broken = new Writable({ write: (_chunk, _encoding, done) => done(new Error('EPIPE')) });
    const logger = jsonLogger(broken);
    logger.info('one');
    await new Promise((resolve) => broken.once('close', resolve));
    logger.info('two');
    expect(broken.destroyed).toBe(true);
  });

  it('drops lines for a reader that stalls, and counts them', () => {
    const lines: string[] = [];
    let release: (() => void) | undefined;
    const stalling = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        lines.push(String(chunk));
        if (lines.length === 1) release = done;
        else done();
      },
    });
    const logger = jsonLogger(stalling);
    for (let index = 0; index < 20_000; index += 1) logger.info('x'.repeat(2_000));
    expect(stalling.writableLength).toBeLessThan(9 * 1024 * 1024);
    release?.();
    logger.info('again');
    const dropped = lines.length - 1;
    expect(dropped).toBeLessThan(20_000);
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ message: 'again', dropped: 20_000 - dropped });
    logger.info('still');
    expect(JSON.parse(lines.at(-1) ?? '')).not.toHaveProperty('dropped');
  });
});

describe('the system clock', () => {
  it('sleeps, and wakes with the reason of its signal', async () => {
    const before = systemClock.now();
    await systemClock.sleep(5);
    expect(systemClock.now()).toBeGreaterThanOrEqual(before);

    const reason = new Error('enough');
    const controller = new AbortController();
    const sleep = systemClock.sleep(2 ** 40, controller.signal);
    controller.abort(reason);
    await expect(sleep).rejects.toBe(reason);
    await expect(systemClock.sleep(1, AbortSignal.abort(reason))).rejects.toBe(reason);
  });
});
