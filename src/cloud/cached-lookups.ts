import { AuthMethodError, OutboundError } from '../contract/index.js';
import type {
  Clock,
  CloudConfiguration,
  CloudLookups,
  ResourceGroupReference,
  ResourceReference,
} from '../contract/index.js';
import { Lanes } from './lanes.js';
import { LookupCache } from './lookup-cache.js';
import { untilAborted, withDeadline } from './signals.js';

/** What {@link cachedLookups} takes. */
export interface CachedLookupsOptions {
  readonly clock: Clock;
  /** Seconds that an answer serves; 0 = none is kept. Concurrent lookups of the same thing share one call all the same. */
  readonly ttl: number;
  /** Seconds that a lookup may take, its wait included. */
  readonly timeout: number;
  /** Answers kept per configuration; each further kilobyte of a long one counts as another. Default 10,000. */
  readonly maxEntries?: number;
  /** Lookups under way or waiting at most, those of one subscription half of it. Default 512. */
  readonly maxWaiting?: number;
  /** Lookups at work for one subscription at a time; the others wait. Default 16: half of the transport's sockets. */
  readonly maxPerSubscription?: number;
}

interface Question<T> {
  readonly lane: string;
  readonly key: string;
  readonly ask: (signal: AbortSignal) => Promise<T>;
}

interface Memory {
  readonly answers: LookupCache;
  /** Calls under way, which later callers join. */
  readonly shared: Map<string, Promise<unknown>>;
}

/** Group memberships are asked of the directory, whatever the subscription. No subscription's id looks like this. */
const DIRECTORY_LANE = '(directory)';

/**
 * Lets logins share what the cloud has answered. Answers hang on the configuration object, so that nothing crosses mounts,
 * tenants, environments or a change of configuration, and go by the kind of lookup and the full resource id; failures and "no
 * such thing" are not kept. A shared call has a deadline of its own: a caller who gives up ends it for nobody else.
 *
 * Beside what {@link CloudLookups} says, lookups reject with `provider_unavailable` and a second to wait when too many wait
 * already.
 */
export function cachedLookups(lookups: CloudLookups, options: CachedLookupsOptions): CloudLookups {
  const { clock, ttl, timeout, maxEntries = 10_000, maxWaiting = 512, maxPerSubscription = 16 } = options;
  const lanes = new Lanes({ maxWaiting, maxAtWork: maxPerSubscription });
  const memories = new WeakMap<CloudConfiguration, Memory>();

  const memoryOf = (configuration: CloudConfiguration): Memory => {
    const answers = (): LookupCache => new LookupCache({ clock, maxAge: ttl * 1000, maxEntries });
    const memory = memories.get(configuration) ?? { answers: answers(), shared: new Map() };
    memories.set(configuration, memory);
    return memory;
  };

  const call = <T>({ lane, key, ask }: Question<T>, answers: LookupCache): Promise<T> =>
    withDeadline(clock, timeout * 1000, (signal) =>
      lanes.run(lane, signal, async () => {
        const since = clock.now();
        const answer = await untilAborted(ask(signal), signal);
        answers.set(key, answer, since);
        return answer;
      }),
    );

  const find = async <T>(question: Question<T>, configuration: CloudConfiguration, signal: AbortSignal): Promise<T> => {
    const { answers, shared } = memoryOf(configuration);
    const { key } = question;
    // What is found under a key was put there by the same kind of question.
    const known = answers.get(key) as T | undefined;
    if (known !== undefined) return known;

    let pending = shared.get(key) as Promise<T> | undefined;
    if (pending === undefined) {
      pending = call(question, answers).finally(() => shared.delete(key));
      shared.set(key, pending);
    }
    return untilAborted(pending, signal).catch((error: unknown) => {
      throw error instanceof OutboundError ? outOfTime(error) : error;
    });
  };

  const lookup =
    <R extends ResourceGroupReference, T>(
      kind: string,
      namesOf: (reference: R) => readonly string[],
      ask: (reference: R, configuration: CloudConfiguration, signal: AbortSignal) => Promise<T>,
    ) =>
    (reference: R, configuration: CloudConfiguration, signal: AbortSignal): Promise<T> => {
      const { subscriptionId, resourceGroup } = reference;
      const question: Question<T> = {
        lane: subscriptionId.toLowerCase(),
        key: keyOf(kind, subscriptionId, resourceGroup, ...namesOf(reference)),
        ask: (shared) => ask(reference, configuration, shared),
      };
      return find(question, configuration, signal);
    };
  const nameOf = ({ name }: ResourceReference): readonly string[] => [name];

  return {
    virtualMachine: lookup('virtual machine', nameOf, lookups.virtualMachine.bind(lookups)),
    userAssignedIdentity: lookup('identity', nameOf, lookups.userAssignedIdentity.bind(lookups)),
    scaleSet: lookup('scale set', nameOf, lookups.scaleSet.bind(lookups)),
    resource: lookup('resource', ({ type, names }) => [type, ...names], lookups.resource.bind(lookups)),
    userAssignedIdentities: lookup('identities', () => [], lookups.userAssignedIdentities.bind(lookups)),
    memberGroups: (objectId, groupIds, configuration, signal) => {
      const question: Question<readonly string[]> = {
        lane: DIRECTORY_LANE,
        key: keyOf('groups', objectId, ...[...groupIds].sort()),
        ask: (shared) => lookups.memberGroups(objectId, groupIds, configuration, shared),
      };
      return find(question, configuration, signal);
    },
    close: () => lookups.close(),
  };
}

/**
 * One key for all spellings of a question; the length before each part keeps borders where they are. Only ASCII letters are
 * folded: to take two names for one would let one resource answer for another, while to take one for two only costs a call.
 */
function keyOf(...parts: readonly string[]): string {
  const key = parts.map((part) => `${part.length}:${part}`).join('');
  return key.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

function outOfTime(cause: OutboundError): AuthMethodError {
  return new AuthMethodError('provider_unavailable', 'The cloud did not answer in time.', { retryAfter: 1, cause });
}
