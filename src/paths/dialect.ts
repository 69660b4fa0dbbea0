import type { CloudEnvironment } from '../contract/index.js';
import { formatDuration } from '../framework/duration.js';

/** Spellings of the same API: the spec's, or the one that existing clients of such servers expect. */
export type DialectName = 'cloud' | 'vault';

/** Configuration fields that an environment variable can supply, with the variable's name. */
export interface EnvironmentVariables {
  readonly tenant_id: string;
  readonly resource: string;
  readonly environment: string;
  readonly client_id: string;
  readonly client_secret: string;
}

/** Everything in which the dialects differ. */
export interface Dialect {
  readonly name: DialectName;
  readonly variables: EnvironmentVariables;
  /** How a read spells an environment. Writes take every spelling. */
  environmentName(environment: CloudEnvironment): string;
  /** Whether a config read shows the client secret. */
  readonly showsClientSecret: boolean;
  /** How a config read spells a retry delay given in seconds. */
  retryDelay(seconds: number): string | number;
  /** How a role read spells a token type that was never given. */
  readonly unsetTokenType: '' | 'default';
}

const NANOSECONDS = 1_000_000_000;

/** The one table of dialects. */
export const DIALECTS: Readonly<Record<DialectName, Dialect>> = {
  cloud: {
    name: 'cloud',
    variables: {
      tenant_id: 'CLOUD_TENANT_ID',
      resource: 'CLOUD_AD_RESOURCE',
      environment: 'CLOUD_ENVIRONMENT',
      client_id: 'CLOUD_CLIENT_ID',
      client_secret: 'CLOUD_CLIENT_SECRET',
    },
    environmentName: ({ name }) => name,
    showsClientSecret: true,
    retryDelay: formatDuration,
    unsetTokenType: '',
  },
  vault: {
    name: 'vault',
    variables: {
      tenant_id: 'AZURE_TENANT_ID',
      resource: 'AZURE_AD_RESOURCE',
      environment: 'AZURE_ENVIRONMENT',
      client_id: 'AZURE_CLIENT_ID',
      client_secret: 'AZURE_CLIENT_SECRET',
    },
    environmentName: ({ name, aliases }) => aliases[0] ?? name,
    showsClientSecret: false,
    retryDelay: (seconds) => Math.round(seconds * NANOSECONDS),
    unsetTokenType: 'default',
  },
};
