import { basename, dirname } from 'node:path';
import type { Disk, DiskEntry } from '../../../src/storage/index.js';

/** A file, or a folder with the names it has now and those that are on the medium. */
class Node {
  names = new Map<string, Node>();
  lasting = new Map<string, Node>();
  constructor(readonly content?: Buffer) {}
}

/**
 * A disk in memory that forgets, at a crash of its machine, whatever it was not made to sync: each name that changed since
 * may be the old or the new one, independently of all others, and an unfinished file may have any length.
 */
export class ModelDisk implements Disk {
  readonly #path: string;
  readonly #top: Node;
  readonly #random: () => number;
  #changesLeft: number;

  /** @param changesLeft - after how many changes the machine crashes */
  constructor(path: string, random: () => number, changesLeft = Infinity, top = new Node()) {
    this.#path = path;
    this.#random = random;
    this.#changesLeft = changesLeft;
    this.#top = top;
  }

  /** What the machine finds when it is on again. */
  afterCrash(): ModelDisk {
    return new ModelDisk(this.#path, this.#random, Infinity, this.#remembered(this.#top));
  }

  async read(path: string): Promise<Buffer> {
    await this.#elsewhere();
    const { content } = this.#at(path);
    if (content === undefined) throw failure('EISDIR');
    return Buffer.from(content);
  }

  async create(path: string, content: Uint8Array): Promise<void> {
    const length = Math.floor(this.#random() * content.length);
    this.#folderOf(path).names.set(basename(path), new Node(Buffer.from(content).subarray(0, length)));
    await this.#change(() => this.#folderOf(path).names.set(basename(path), new Node(Buffer.from(content))));
  }

  async rename(from: string, to: string): Promise<void> {
    await this.#change(() => {
      this.#folderOf(to).names.set(basename(to), this.#at(from));
      this.#folderOf(from).names.delete(basename(from));
    });
  }

  async unlink(path: string): Promise<void> {
    await this.#change(() => {
      this.#at(path);
      this.#folderOf(path).names.delete(basename(path));
    });
  }

  async makeDirectory(path: string): Promise<void> {
    await this.#change(() => {
      const { names } = this.#folderOf(path);
      if (names.has(basename(path))) throw failure('EEXIST');
      names.set(basename(path), new Node());
    });
  }

  async removeDirectory(path: string): Promise<void> {
    await this.#change(() => {
      if (this.#at(path).names.size > 0) throw failure('ENOTEMPTY');
      this.#folderOf(path).names.delete(basename(path));
    });
  }

  async syncDirectory(path: string): Promise<void> {
    // Only what happened before the sync began is covered by it.
    const folder = this.#at(path);
    const names = new Map(folder.names);
    await this.#change(() => (folder.lasting = names));
  }

  async entries(path: string): Promise<DiskEntry[]> {
    await this.#elsewhere();
    return [...this.#at(path).names].map(([name, node]) => ({ name, isDirectory: () => node.content === undefined }));
  }

  async *someEntries(path: string): AsyncIterable<DiskEntry> {
    yield* await this.entries(path);
  }

  async #change(apply: () => unknown): Promise<void> {
    await this.#elsewhere();
    this.#changesLeft -= 1;
    // The last change may still happen, with nobody left to be told.
    if (this.#changesLeft > 0 || (this.#changesLeft === 0 && this.#random() < 0.5)) apply();
    if (this.#changesLeft <= 0) throw failure('EIO');
  }

  /** Lets others have their turns, as the time that a real disk takes would. */
  async #elsewhere(): Promise<void> {
    for (let turns = Math.floor(this.#random() * 8); turns > 0; turns -= 1) await Promise.resolve();
  }

  #remembered(node: Node): Node {
    if (node.content !== undefined) return node;
    const found = new Node();
    for (const name of new Set([...node.names.keys(), ...node.lasting.keys()])) {
      const kept = this.#random() < 0.5 ? node.names.get(name) : node.lasting.get(name);
      if (kept !== undefined) found.names.set(name, this.#remembered(kept));
    }
    found.lasting = new Map(found.names);
    return found;
  }

  #folderOf(path: string): Node {
    return this.#at(dirname(path));
  }

  #at(path: string): Node {
    const names = path.slice(this.#path.length).split('/').slice(1);
    let node: Node | undefined = this.#top;
    for (const name of names) node = node?.names.get(name);
    if (node === undefined) throw failure('ENOENT');
    return node;
  }
}

function failure(code: string): Error {
  return Object.assign(new Error('of the model'), { code });
}
