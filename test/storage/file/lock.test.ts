import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it } from '@jest/globals';
import { afterThisTest, bytes, freshDirectory, openStorage, text } from './support.js';

const inUse = (directory: string): string =>
  `storage: ${directory} is in use by another process; one at a time may have it`;

/** A process that opens a storage when told, and says what came of it. */
class Opener {
  readonly child: ChildProcess;
  readonly #lines: AsyncIterator<string>;

  constructor(directory: string) {
    const child = spawn(process.execPath, [join(import.meta.dirname, 'processes/hold.js'), directory], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.child = child;
    this.#lines = createInterface(child.stdout)[Symbol.asyncIterator]();
    afterThisTest(() => this.kill());
  }

  async line(): Promise<string> {
    return (await this.#lines.next()).value as string;
  }

  tellToOpen(): void {
    this.child.stdin?.write('open\n');
  }

  async open(): Promise<string> {
    expect(await this.line()).toBe('ready');
    this.tellToOpen();
    return this.line();
  }

  async kill(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const exit = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await exit;
  }

  async close(): Promise<void> {
    const exit = once(this.child, 'exit');
    this.child.stdin?.end();
    await exit;
  }
}

describe('a directory that a process has', () => {
  it('is refused to others, and theirs to try again when it is closed', async () => {
    const directory = freshDirectory();
    const first = new Opener(directory);
    expect(await first.open()).toBe('held');
    expect(await new Opener(directory).open()).toBe(inUse(directory));
    await expect(openStorage(directory)).rejects.toMatchObject({ code: 'storage_failed', message: inUse(directory) });
    await first.close();
    await openStorage(directory);
  });

  it('is refused to another part of the same process, which does not disturb the first', async () => {
    const directory = freshDirectory();
    const first = await openStorage(directory);
    for (let attempt = 0; attempt < 5; attempt += 1)
      await expect(openStorage(directory)).rejects.toMatchObject({ message: inUse(directory) });
    await first.put('config', bytes('1'));
    expect(text(await first.get('config'))).toBe('1');
  });

  it('is refused under another name', async () => {
    const directory = freshDirectory();
    await openStorage(directory);
    symlinkSync(directory, `${directory}-link`);
    await expect(openStorage(`${directory}-link`)).rejects.toMatchObject({ message: inUse(`${directory}-link`) });
  });

  it('is free once the process is killed', async () => {
    const directory = freshDirectory();
    for (let round = 0; round < 3; round += 1) {
      const opener = new Opener(directory);
      expect(await opener.open()).toBe('held');
      await opener.kill();
    }
    await openStorage(directory);
    // Neither the dead nor the refused pile up.
    expect(readdirSync(join(directory, 'lock'))).toHaveLength(1);
  });

  it('stays refused while the process is stopped and answers nothing', async () => {
    const directory = freshDirectory();
    const opener = new Opener(directory);
    expect(await opener.open()).toBe('held');
    opener.child.kill('SIGSTOP');
    await expect(openStorage(directory)).rejects.toMatchObject({ message: inUse(directory) });
  });

  it('may have a path longer than a socket may', async () => {
    const directory = join(freshDirectory(), 'x'.repeat(200), 'y'.repeat(200));
    const opener = new Opener(directory);
    expect(await opener.open()).toBe('held');
    await expect(openStorage(directory)).rejects.toMatchObject({ message: inUse(directory) });
    await opener.kill();
    await openStorage(directory);
  });

  it('is not held by what is no socket', async () => {
    const directory = freshDirectory();
    await (await openStorage(directory)).close();
    writeFileSync(join(directory, 'lock/77'), 'restored from a backup');
    await openStorage(directory);
    expect(readdirSync(join(directory, 'lock'))).toEqual(['78']);
  });
});

describe('of many that want a directory', () => {
  it('20 processes after a crash, exactly one gets it', async () => {
    const directory = freshDirectory();
    const crashed = new Opener(directory);
    expect(await crashed.open()).toBe('held');
    await crashed.kill();

    const openers = Array.from({ length: 20 }, () => new Opener(directory));
    for (const opener of openers) expect(await opener.line()).toBe('ready');
    for (const opener of openers) opener.tellToOpen();
    const answers = await Promise.all(openers.map((opener) => opener.line()));
    expect(answers.sort()).toEqual(['held', ...Array<string>(19).fill(inUse(directory))]);
  }, 60_000);
});
