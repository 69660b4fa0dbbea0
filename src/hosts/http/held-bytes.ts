import type { Socket } from 'node:net';

/** Keeps what a connection sends from its other readers, and slows it down meanwhile. */
export class HeldBytes {
  readonly #connection: Socket;
  #chunks: Buffer[];
  #size: number;

  /** @param first - bytes that were read already */
  constructor(connection: Socket, first: Buffer) {
    this.#connection = connection;
    this.#chunks = [first];
    this.#size = first.length;
    connection.removeAllListeners('data');
    connection.on('data', (chunk: Buffer) => {
      this.#chunks.push(chunk);
      this.#size += chunk.length;
      connection.pause();
    });
    connection.pause();
  }

  /** All bytes held so far, once there are that many. `undefined` when the connection ends before. */
  async atLeast(size: number): Promise<Buffer | undefined> {
    while (this.#size < size) {
      if (this.#connection.destroyed || this.#connection.readableEnded) return undefined;
      await this.#change();
    }
    const [only = Buffer.alloc(0), ...more] = this.#chunks;
    return more.length === 0 ? only : Buffer.concat(this.#chunks);
  }

  #change(): Promise<void> {
    return new Promise((resolve) => {
      for (const event of ['data', 'end', 'close']) this.#connection.once(event, () => resolve());
      this.#connection.resume();
    });
  }
}
