import { randomFillSync } from 'node:crypto';

const POOL_SIZE = 4096;

/** Unguessable texts. The system is asked for randomness in bulk, since asking costs more than all else in making a token. */
export class RandomTexts {
  readonly #pool = Buffer.alloc(POOL_SIZE);
  #next = POOL_SIZE;

  /** That many random bytes, base64url. */
  take(bytes: number): string {
    if (this.#next + bytes > POOL_SIZE) {
      randomFillSync(this.#pool);
      this.#next = 0;
    }
    const start = this.#next;
    this.#next += bytes;
    const text = this.#pool.toString('base64url', start, this.#next);
    // What was given out is somebody's secret.
    this.#pool.fill(0, start, this.#next);
    return text;
  }
}
