import type { Response } from '../contract/index.js';
import { definePath } from '../framework/path.js';
import type { PathDefinition } from '../framework/path.js';
import { CONFIG_FIELDS } from './config-fields.js';
import type { ConfigValues } from './config-fields.js';
import { findEnvironment } from './config-rules.js';
import type { ConfigSources, ConfigStore } from './config-store.js';

/** Checked and stored, and no more than that so far. */
const NOT_ACTED_ON = ['identity_token_audience', 'rotation_period', 'rotation_schedule'] as const;

/** `config`: the single configuration object of a mount (spec 2.1, 4.1-4.3). */
export function configPath(store: ConfigStore, sources: ConfigSources): PathDefinition {
  return definePath({
    pattern: 'config',
    fields: CONFIG_FIELDS,
    exists: async () => (await store.stored()) !== undefined,
    operations: {
      write: {
        summary: 'Set the configuration; fields that are not given keep their values.',
        handle: async ({ values, warnings }) => {
          await store.update(values);
          for (const name of NOT_ACTED_ON) {
            if (values[name]) warnings.push(`${name} is stored, but this version does not act on it`);
          }
          if (values.auth_type && values.auth_type !== 'root_creds') {
            warnings.push('auth_type is stored, but this version does not act on it');
          }
          return undefined;
        },
      },
      read: {
        summary: 'Read the configuration.',
        handle: async () => {
          const stored = await store.stored();
          return stored && readConfig(stored, sources);
        },
      },
      delete: {
        summary: 'Remove the configuration and its credentials.',
        handle: async () => {
          await store.delete();
          return undefined;
        },
      },
    },
    help: {
      synopsis: 'Configures the tenant, the audience and the credentials of the method.',
      description:
        'tenant_id and resource are required here or in environment variables. client_id with client_secret lets the method ' +
        'ask the cloud about machines; roles that name only principals and groups do without.',
    },
  });
}

function readConfig(stored: ConfigValues, { dialect, environments }: ConfigSources): Response {
  const data: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(CONFIG_FIELDS)) {
    data[name] = stored[name as keyof ConfigValues] ?? field.default ?? '';
  }
  const environment = findEnvironment(environments, String(data['environment']));
  if (environment !== undefined) data['environment'] = dialect.environmentName(environment);
  for (const name of ['retry_delay', 'max_retry_delay']) data[name] = dialect.retryDelay(Number(data[name]));
  if (!dialect.showsClientSecret) delete data['client_secret'];
  return { data };
}
