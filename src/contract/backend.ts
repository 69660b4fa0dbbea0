import type { Clock } from './clock.js';
import type { Logger } from './logger.js';
import type { Request } from './request.js';
import type { Response } from './response.js';
import type { Storage } from './storage.js';
import type { System } from './system.js';

/** What a host supplies to one mount. */
export interface HostServices {
  readonly storage: Storage;
  readonly system: System;
  readonly logger: Logger;
  readonly clock: Clock;
}

/** Paths and keys that hosts treat differently. */
export interface SpecialPaths {
  /** Paths below the mount that need no service token. */
  readonly unauthenticated: readonly string[];
  /** Storage keys that hosts should wrap with their seal. */
  readonly sealWrapped: readonly string[];
}

/** Help for one path, in plain text. */
export interface PathHelp {
  /** One line. */
  readonly synopsis: string;
  /** Paragraphs. */
  readonly description: string;
  /** Fields that the path takes, by their wire names, each with its meaning and what it takes. */
  readonly fields: Readonly<Record<string, string>>;
}

/** An OpenAPI 3.0 document; paths are relative to the mount. */
export interface OpenApiDocument {
  readonly openapi: string;
  readonly info: Readonly<Record<string, unknown>>;
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly components: Readonly<Record<string, unknown>>;
}

/**
 * One mounted auth method. A process may hold many; they share nothing. Requests may come concurrently.
 */
export interface Backend {
  /** Called once before the first request, when storage works. May fail, for instance on a standby that cannot write. */
  initialize(): Promise<void>;

  /**
   * Serves one request. `undefined` means "done, nothing to say" for writes and deletes and "nothing there" for reads.
   * Rejects with `AuthMethodError`; any other rejection is a bug, and `toPublicError` turns both into an answer.
   */
  handleRequest(request: Request): Promise<Response | undefined>;

  /**
   * Whether what a `create` or `update` writes is there already; `undefined` where the question makes no sense. Cheap, and
   * without side effects: hosts ask it before permissions are checked.
   */
  existenceCheck(request: Request): Promise<boolean | undefined>;

  readonly specialPaths: SpecialPaths;

  /** The host's regular tick, on the active node. `now` in milliseconds since the Unix epoch. */
  periodic(now: number): Promise<void>;

  /** A stored key changed behind this instance's back: what was cached from it is dropped. */
  invalidate(key: string): void;

  /** The mount goes away. Requests in flight may still finish; none comes after. May be called twice. */
  cleanup(): Promise<void>;

  /** Help for a path, or for the whole method when the path is empty. `undefined` for an unknown path. */
  help(path: string): PathHelp | undefined;

  openapi(): OpenApiDocument;
}

/** Makes the backend of one mount. Hosts are given one and call it for each mount. */
export type BackendFactory = (services: HostServices) => Backend;
