import { parseUrl } from '../json-exchange.js';
import { appService } from './app-service.js';
import { arcMachine } from './arc-machine.js';
import type { Environment, IdentitySource } from './identity-source.js';
import { instanceMetadata } from './instance-metadata.js';

/** What the command line says of the metadata service. */
export interface IdentitySourceOptions {
  /** Address of an instance metadata service to use, whatever the environment says. */
  readonly metadataUrl?: string;
  /** Where the agent of an Arc machine keeps its keys. Default: where it does so on Linux. */
  readonly keyDirectory?: string;
}

const KEY_DIRECTORY = '/var/opt/azcmagent/tokens';
const INSTANCE_METADATA_URL = 'http://169.254.169.254';

/**
 * The metadata service of the workload that this process is, by the variables that each kind finds in its environment.
 * @throws CommandFailure when an address is none.
 */
export function findIdentitySource(options: IdentitySourceOptions, env: Environment): IdentitySource {
  const { metadataUrl, keyDirectory = KEY_DIRECTORY } = options;
  if (metadataUrl !== undefined) return instanceMetadata(parseUrl('--metadata-url', metadataUrl));
  const { IDENTITY_ENDPOINT: endpoint, IDENTITY_HEADER: secret, IMDS_ENDPOINT: agent } = env;
  if (endpoint && secret) return appService(parseUrl('IDENTITY_ENDPOINT', endpoint), secret, env);
  if (endpoint && agent) return arcMachine(endpoint, agent, keyDirectory);
  const variable = 'AZURE_POD_IDENTITY_AUTHORITY_HOST';
  return instanceMetadata(parseUrl(variable, env[variable] || INSTANCE_METADATA_URL));
}
