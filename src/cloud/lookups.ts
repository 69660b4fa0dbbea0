import type {
  Clock,
  CloudConfiguration,
  CloudLookups,
  Logger,
  OutboundTransport,
  ResourceReference,
} from '../contract/index.js';
import { Failures } from './failures.js';
import { requireSegments } from './resource-reference.js';
import { createSession } from './session.js';
import type { Session } from './session.js';
import { readUserAssignedIdentity } from './user-assigned-identity.js';
import { readVirtualMachine } from './virtual-machine.js';

/** What {@link createCloudLookups} takes. */
export interface CloudLookupsOptions {
  /** Stays its owner's: {@link CloudLookups.close} does not close it. */
  readonly transport: OutboundTransport;
  readonly clock: Clock;
  readonly logger: Logger;
}

type Question<T> = (session: Session, reference: ResourceReference, signal: AbortSignal) => Promise<T>;

/**
 * Makes the lookups of one mount. The provider's SDKs are loaded at first use. Access tokens and clients hang on the
 * configuration object, so that nothing of one configuration serves another.
 */
export function createCloudLookups({ transport, clock, logger }: CloudLookupsOptions): CloudLookups {
  const failures = new Failures(logger, clock);
  const sessions = new WeakMap<CloudConfiguration, Session>();

  const sessionOf = (configuration: CloudConfiguration): Session => {
    const session = sessions.get(configuration) ?? createSession(configuration, { transport, clock, failures });
    sessions.set(configuration, session);
    return session;
  };

  const ask =
    <T>(question: Question<T>) =>
    async (
      reference: ResourceReference,
      configuration: CloudConfiguration,
      signal: AbortSignal,
    ): Promise<T | undefined> => {
      requireSegments(reference);
      try {
        return await question(sessionOf(configuration), reference, signal);
      } catch (error) {
        const failure = failures.fromException('resource manager', error);
        if (failure.code === 'not_found') return undefined;
        throw failure;
      }
    };

  return {
    virtualMachine: ask(readVirtualMachine),
    userAssignedIdentity: ask(readUserAssignedIdentity),
    close: () => Promise.resolve(),
  };
}
