import type { Clock, CloudConfiguration, CloudLookups, Logger, OutboundTransport } from '../contract/index.js';
import type { CredentialSources } from './credential-kinds.js';
import { Failures } from './failures.js';
import type { Provider } from './failures.js';
import { readMemberGroups } from './member-groups.js';
import { readResource } from './resource.js';
import { requireGroup, requireSegments, requireTypedSegments } from './resource-reference.js';
import { readScaleSet } from './scale-set.js';
import { createSession } from './session.js';
import type { Session } from './session.js';
import { readUserAssignedIdentities } from './user-assigned-identities.js';
import { readUserAssignedIdentity } from './user-assigned-identity.js';
import { readVirtualMachine } from './virtual-machine.js';

/** What {@link createCloudLookups} takes. */
export interface CloudLookupsOptions extends CredentialSources {
  /** Stays its owner's: {@link CloudLookups.close} does not close it. */
  readonly transport: OutboundTransport;
  readonly clock: Clock;
  readonly logger: Logger;
}

type Question<R, T> = (session: Session, reference: R, signal: AbortSignal) => Promise<T>;
type Lookup<R, T> = (reference: R, configuration: CloudConfiguration, signal: AbortSignal) => Promise<T | undefined>;

/**
 * Makes the lookups of one mount. The provider's SDKs are loaded at first use. Access tokens and clients hang on the
 * configuration object, so that nothing of one configuration serves another.
 */
export function createCloudLookups({ logger, ...options }: CloudLookupsOptions): CloudLookups {
  const failures = new Failures(logger, options.clock);
  const sessions = new WeakMap<CloudConfiguration, Session>();

  const sessionOf = (configuration: CloudConfiguration): Session => {
    const session = sessions.get(configuration) ?? createSession(configuration, { ...options, failures });
    sessions.set(configuration, session);
    return session;
  };

  const answered = async <T>(provider: Provider, question: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await question();
    } catch (error) {
      const failure = failures.fromException(provider, error);
      if (failure.code === 'not_found') return undefined;
      throw failure;
    }
  };

  const lookup =
    <R, T>(guard: (reference: R) => void, question: Question<R, T>): Lookup<R, T> =>
    async (reference, configuration, signal) => {
      guard(reference);
      return answered('resource manager', () => question(sessionOf(configuration), reference, signal));
    };

  return {
    virtualMachine: lookup(requireSegments, readVirtualMachine),
    userAssignedIdentity: lookup(requireSegments, readUserAssignedIdentity),
    scaleSet: lookup(requireSegments, readScaleSet),
    resource: lookup(requireTypedSegments, readResource),
    userAssignedIdentities: lookup(requireGroup, readUserAssignedIdentities),
    memberGroups: async (objectId, groupIds, configuration, signal) => {
      const question = { objectId, groupIds };
      const found = await answered('graph', () => readMemberGroups(sessionOf(configuration), question, signal));
      return found ?? [];
    },
    close: () => Promise.resolve(),
  };
}
