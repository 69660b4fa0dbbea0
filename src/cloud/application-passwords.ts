import { AuthMethodError } from '../contract/index.js';
import type {
  ApplicationPasswords,
  Clock,
  CloudConfiguration,
  Logger,
  NewPassword,
  OutboundTransport,
  PasswordCredential,
} from '../contract/index.js';
import { authorized } from './authorized.js';
import { confidentialClientSource } from './confidential-client.js';
import type { DirectoryAccess } from './confidential-client.js';
import { Credential } from './credential.js';
import type { TokenSource } from './credential.js';
import { Failures } from './failures.js';
import { createGraphClient } from './graph-client.js';
import type { GraphClient } from './graph-client.js';
import { isRecord, isText } from './records.js';
import { retrying } from './retry.js';

/** What {@link createApplicationPasswords} takes. */
export interface ApplicationPasswordsOptions {
  /** Stays its owner's. */
  readonly transport: OutboundTransport;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Ways to the directory for one configuration; both share an access token. */
interface Clients {
  readonly repeating: GraphClient;
  /** For what must not be done twice. */
  readonly once: GraphClient;
}

const PROVIDER = 'application';
const GUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Client secrets of applications through the directory's graph. Access tokens hang on the configuration object. */
export function createApplicationPasswords(options: ApplicationPasswordsOptions): ApplicationPasswords {
  const { transport, clock, logger } = options;
  const failures = new Failures(logger, clock);
  // Refusals are what it asks for.
  const expectedFailures = new Failures({ ...logger, warn: logger.debug.bind(logger) }, clock);
  const send = transport.send.bind(transport);
  const clients = new WeakMap<CloudConfiguration, Clients>();

  const makeClients = (configuration: CloudConfiguration): Clients => {
    const { environment } = configuration;
    const repeat = retrying(transport, clock, configuration);
    const source = secretSource(configuration, { send: repeat, failures });
    const credential = new Credential(source, clock, failures);
    const client = (way: typeof send): GraphClient =>
      createGraphClient({
        environment,
        send: authorized({ send: way, sendOnce: send }, credential),
        failures,
        provider: PROVIDER,
      });
    return { repeating: client(repeat), once: client(send) };
  };
  const clientsOf = (configuration: CloudConfiguration): Clients => {
    const known = clients.get(configuration) ?? makeClients(configuration);
    clients.set(configuration, known);
    return known;
  };
  const translated = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      throw failures.fromException(PROVIDER, error);
    }
  };

  const list = (configuration: CloudConfiguration, signal: AbortSignal): Promise<readonly PasswordCredential[]> =>
    translated(async () => {
      const path = `${applicationPath(configuration)}?$select=passwordCredentials`;
      const answer = await clientsOf(configuration).repeating.get(path, signal);
      const credentials: unknown = isRecord(answer) ? answer['passwordCredentials'] : undefined;
      if (!Array.isArray(credentials)) throw new Error('an application without a list of its credentials');
      return credentials.map(readCredential);
    });

  return {
    list,

    add: (displayName, expiresAt, configuration, signal) =>
      translated(async () => {
        const passwordCredential = { displayName, endDateTime: new Date(expiresAt).toISOString() };
        const path = `${applicationPath(configuration)}/addPassword`;
        const answer = await clientsOf(configuration).once.post(path, { passwordCredential }, signal);
        return readNewPassword(answer, expiresAt);
      }),

    remove: (keyId, configuration, signal) =>
      translated(async () => {
        try {
          const path = `${applicationPath(configuration)}/removePassword`;
          await clientsOf(configuration).repeating.post(path, { keyId }, signal);
          return true;
        } catch (error) {
          const failure = failures.fromException(PROVIDER, error);
          if (failure.code === 'not_configured') throw failure;
          // Directories differ in what they say to a key id that they do not know, and an answer may have been lost.
          const left = await list(configuration, signal);
          if (left.some((credential) => credential.keyId.toLowerCase() === keyId.toLowerCase())) throw failure;
          return false;
        }
      }),

    accepts: async (configuration, signal) => {
      try {
        await secretSource(configuration, { send, failures: expectedFailures })(signal);
        return true;
      } catch (error) {
        const failure = expectedFailures.fromException('directory', error);
        if (failure.code === 'not_configured') return false;
        throw failure;
      }
    },
  };
}

/** Access tokens for the graph with the configuration's own client secret. */
function secretSource(configuration: CloudConfiguration, access: DirectoryAccess): TokenSource {
  const { clientId = '', clientSecret = '', environment } = configuration;
  const scope = `${environment.graphEndpoint}/.default`;
  return confidentialClientSource(configuration, clientId, () => Promise.resolve({ clientSecret }), scope, access);
}

/** Paths are not encoded: what is no GUID does not get into one. */
function applicationPath({ clientId = '' }: CloudConfiguration): string {
  if (!GUID.test(clientId)) {
    throw new AuthMethodError(
      'invalid_request',
      'client_id: takes the id of an application (a GUID) for root rotation',
      {
        field: 'client_id',
      },
    );
  }
  return `/applications(appId='${clientId}')`;
}

function readCredential(value: unknown): PasswordCredential {
  if (!isRecord(value)) throw new Error('a credential that is none');
  const { keyId, displayName, hint, endDateTime } = value;
  // It becomes part of a storage key.
  if (!isText(keyId) || !GUID.test(keyId)) throw new Error('a credential without a key id');
  const expiresAt = typeof endDateTime === 'string' ? Date.parse(endDateTime) : NaN;
  return {
    keyId,
    ...(isText(displayName) && { displayName }),
    ...(isText(hint) && { hint }),
    ...(Number.isFinite(expiresAt) && { expiresAt }),
  };
}

function readNewPassword(value: unknown, wanted: number): NewPassword {
  const { keyId, expiresAt = wanted } = readCredential(value);
  const secret = isRecord(value) ? value['secretText'] : undefined;
  if (!isText(secret)) throw new Error('a new credential without its secret');
  return { keyId, secret, expiresAt };
}
