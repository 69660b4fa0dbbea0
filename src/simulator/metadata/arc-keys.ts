import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The key files by which a caller shows the agent that it may read what only the machine's own users may. */
export class ArcKeys {
  /** Where the files are. */
  readonly directory: string;
  readonly #isOwn: boolean;
  /** Paths by secret. */
  readonly #paths = new Map<string, string>();

  /** Makes a temporary directory when none is given. */
  constructor(directory?: string) {
    this.#isOwn = directory === undefined;
    this.directory = directory ?? mkdtempSync(join(tmpdir(), 'arc-keys-'));
  }

  /** Writes a new secret into a new file that nobody else may read, and gives its path. */
  issue(): string {
    // The prefix makes a leaked secret recognisable in logs and answers.
    const secret = `canary-${randomBytes(24).toString('base64url')}`;
    const path = join(this.directory, `${randomUUID()}.key`);
    writeFileSync(path, secret, { mode: 0o600, flag: 'wx' });
    this.#paths.set(secret, path);
    return path;
  }

  /** Whether that is the secret of a file; a secret serves once. */
  redeem(secret: string): boolean {
    const path = this.#paths.get(secret);
    if (path === undefined) return false;
    this.#paths.delete(secret);
    rmSync(path, { force: true });
    return true;
  }

  /** Removes all files, and the directory if it is a temporary one. May be called twice. */
  close(): void {
    for (const path of this.#paths.values()) rmSync(path, { force: true });
    this.#paths.clear();
    if (this.#isOwn) rmSync(this.directory, { recursive: true, force: true });
  }
}
