import type { Response, RotationManager, RotationStatus } from '../contract/index.js';
import { definePath } from '../framework/path.js';
import type { PathDefinition } from '../framework/path.js';
import type { ConfigSources } from './cloud-configuration.js';
import { CONFIG_FIELDS } from './config-fields.js';
import type { ConfigValues } from './config-fields.js';
import { findEnvironment } from './config-rules.js';
import type { ConfigStore } from './config-store.js';
import { changesCredential } from './root-configuration.js';
import { rotationTimes } from './rotate-root.js';

/** `config`: the single configuration object of a mount (spec 2.1, 4.1-4.3). */
export function configPath(store: ConfigStore, rotation: RotationManager): PathDefinition {
  return definePath({
    pattern: 'config',
    fields: CONFIG_FIELDS,
    exists: async () => (await store.stored()) !== undefined,
    operations: {
      write: {
        summary: 'Set the configuration; fields that are not given keep their values.',
        handle: async ({ values }) => {
          // First of all: a write that is refused must not cancel a rotation.
          await store.check(values);
          await rotation.reconfigure(
            () => store.update(values),
            async () => changesCredential(await store.stored(), values),
          );
          return undefined;
        },
      },
      read: {
        summary: 'Read the configuration.',
        handle: async () => {
          const stored = await store.stored();
          return stored && readConfig(stored, store.sources, await rotation.status());
        },
      },
      delete: {
        summary: 'Remove the configuration and its credentials.',
        handle: async () => {
          await rotation.reconfigure(
            () => store.delete(),
            () => Promise.resolve(true),
          );
          return undefined;
        },
      },
    },
    help: {
      synopsis: 'Configures the tenant, the audience and the credentials of the method.',
      description:
        'tenant_id and resource are required here or in environment variables. Credentials let the method ask the cloud about ' +
        'machines; roles that name only principals and groups do without. Reads show when root rotation last and next happens.',
    },
  });
}

function readConfig(stored: ConfigValues, { dialect, environments }: ConfigSources, status: RotationStatus): Response {
  const data: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(CONFIG_FIELDS)) {
    data[name] = stored[name as keyof ConfigValues] ?? field.default ?? '';
  }
  const environment = findEnvironment(environments, String(data['environment']));
  if (environment !== undefined) data['environment'] = dialect.environmentName(environment);
  for (const name of ['retry_delay', 'max_retry_delay']) data[name] = dialect.retryDelay(Number(data[name]));
  if (!dialect.showsClientSecret) delete data['client_secret'];
  Object.assign(data, rotationTimes(status));
  return { data };
}
