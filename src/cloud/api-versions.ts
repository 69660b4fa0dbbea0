import { LRUCache } from 'lru-cache';
import type { Clock } from '../contract/index.js';
import { isRecord, isText } from './records.js';
import { untilAborted, withDeadline } from './signals.js';

/** Fetches what a provider namespace says about its types. */
export type ProviderSource = (signal: AbortSignal) => Promise<unknown>;

/** API version to use for each type of a namespace, such as `sites/slots`, in lower case. */
type VersionList = ReadonlyMap<string, string>;

/** Milliseconds that one list may take, retries included. It is nobody's own request, so no caller's signal bounds it. */
const FETCH_DEADLINE = 30_000;
const MAX_NAMESPACES = 64;
const VERSION = /^\d{4}-\d{2}-\d{2}(?:-[a-z]{1,32})?$/i;

/**
 * API versions of resource types: for each type the newest stable one, or the newest preview where there is no other. A list
 * holds until one of its versions is refused.
 */
export class ApiVersions {
  readonly #lists = new LRUCache<string, VersionList>({ max: MAX_NAMESPACES });
  readonly #pending = new Map<string, Promise<VersionList>>();

  constructor(private readonly clock: Clock) {}

  /** The version known for a type of a namespace. */
  known(namespace: string, type: string): string | undefined {
    return this.#lists.get(namespace.toLowerCase())?.get(type.toLowerCase());
  }

  /**
   * Fetches the list of a namespace anew and gives the version for a type; `undefined` when the type is not in it. Callers
   * that come with the same source's name while it is on its way share one fetch.
   */
  async fetch(
    namespace: string,
    type: string,
    { name, source }: { readonly name: string; readonly source: ProviderSource },
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const key = JSON.stringify([name.toLowerCase(), namespace.toLowerCase()]);
    const pending = this.#pending.get(key) ?? this.#start(key, namespace.toLowerCase(), source);
    return (await untilAborted(pending, signal)).get(type.toLowerCase());
  }

  #start(key: string, namespace: string, source: ProviderSource): Promise<VersionList> {
    const fetched = withDeadline(this.clock, FETCH_DEADLINE, source)
      .then((provider) => {
        const list = versionList(provider);
        this.#lists.set(namespace, list);
        return list;
      })
      .finally(() => this.#pending.delete(key));
    this.#pending.set(key, fetched);
    return fetched;
  }
}

function versionList(provider: unknown): VersionList {
  const types = isRecord(provider) ? provider['resourceTypes'] : undefined;
  if (!Array.isArray(types)) throw new Error('a provider without types');
  const list = new Map<string, string>();
  for (const entry of types as unknown[]) {
    if (!isRecord(entry) || !isText(entry['resourceType'])) throw new Error('a type without a name');
    const version = Array.isArray(entry['apiVersions']) ? newestOf(entry['apiVersions']) : undefined;
    if (version !== undefined) list.set(entry['resourceType'].toLowerCase(), version);
  }
  return list;
}

function newestOf(versions: readonly unknown[]): string | undefined {
  const readable = versions.filter((version): version is string => isText(version) && VERSION.test(version)).sort();
  const stable = readable.filter((version) => /\d$/.test(version));
  return stable.at(-1) ?? readable.at(-1);
}
