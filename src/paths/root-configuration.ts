import { Cron } from 'croner';
import { AuthMethodError } from '../contract/index.js';
import type { CloudConfiguration, RootConfiguration, RootCredential, RotationSchedule } from '../contract/index.js';
import { cloudConfiguration, environmentName, withVariables } from './cloud-configuration.js';
import { CONFIG_FIELDS } from './config-fields.js';
import type { ConfigStore, StoredConfig } from './config-store.js';

/** Shows the stored configuration to root rotation. */
export class StoredRootConfiguration implements RootConfiguration {
  readonly #store: ConfigStore;
  #latest: { readonly key: string; readonly configuration: CloudConfiguration } | undefined;

  constructor(store: ConfigStore) {
    this.#store = store;
  }

  async credential(): Promise<RootCredential> {
    const stored = await this.#store.stored();
    if (stored === undefined) throw refused('client_secret', 'there is no configuration');
    if (stored.identity_token_audience) throw refused('identity_token_audience', 'federation has no client secret');
    if (stored.auth_type && stored.auth_type !== 'root_creds') {
      throw refused('auth_type', `got "${stored.auth_type}", which uses no client secret`);
    }
    for (const field of ['client_id', 'client_secret'] as const) {
      if (!stored[field]) throw refused(field, 'is not in the configuration; what an environment variable holds stays');
    }
    return this.#credentialOf(stored);
  }

  async schedule(): Promise<RotationSchedule | undefined> {
    const stored = (await this.#store.stored()) ?? {};
    const { rotation_period: period = 0, rotation_schedule: expression = '', rotation_window: window = 0 } = stored;
    if (stored.disable_automated_rotation || (period === 0 && expression === '')) return undefined;
    const cron = expression === '' ? undefined : new Cron(expression.trim(), { mode: '5-part', timezone: 'UTC' });
    return {
      period,
      expression,
      window,
      since: stored.automated_since ?? 0,
      next: (after) => cron?.nextRun(new Date(after))?.getTime(),
    };
  }

  async secretTtl(): Promise<number> {
    return (await this.#store.stored())?.root_password_ttl || CONFIG_FIELDS.root_password_ttl.default;
  }

  async withCredential(credential: RootCredential): Promise<CloudConfiguration> {
    const stored = await this.#store.stored();
    if (stored !== undefined && isSame(this.#credentialOf(stored), credential)) return this.#store.inForce();
    const values = {
      ...stored,
      tenant_id: credential.tenantId,
      environment: credential.environment,
      client_id: credential.clientId,
      client_secret: credential.clientSecret,
      // Not asked for by root rotation, but a configuration has one.
      resource: stored?.resource || credential.clientId,
      identity_token_audience: '',
      auth_type: 'root_creds' as const,
    };
    // Tokens hang on the object: the same credential gets the same one, as long as nobody asks for another.
    const key = JSON.stringify(values);
    if (this.#latest?.key !== key) {
      const configuration = cloudConfiguration(values, this.#store.sources);
      if (configuration instanceof AuthMethodError) throw configuration;
      this.#latest = { key, configuration };
    }
    return this.#latest.configuration;
  }

  replaceSecret(current: RootCredential, clientSecret: string): Promise<boolean> {
    return this.#store.replaceSecret((stored) => isSame(this.#credentialOf(stored), current), clientSecret);
  }

  #credentialOf(stored: StoredConfig): RootCredential {
    return {
      tenantId: withVariables(stored, this.#store.sources).tenant_id ?? '',
      environment: environmentName(withVariables(stored, this.#store.sources)),
      clientId: stored.client_id ?? '',
      clientSecret: stored.client_secret ?? '',
    };
  }
}

/** Whether writing these values gives other credentials than those that are stored. */
export function changesCredential(stored: StoredConfig | undefined, values: StoredConfig): boolean {
  const fields = [
    'tenant_id',
    'environment',
    'client_id',
    'client_secret',
    'identity_token_audience',
    'auth_type',
  ] as const;
  return fields.some((field) => field in values && (values[field] ?? '') !== (stored?.[field] ?? ''));
}

function isSame(one: RootCredential, other: RootCredential): boolean {
  return (
    one.tenantId === other.tenantId &&
    one.environment === other.environment &&
    one.clientId === other.clientId &&
    one.clientSecret === other.clientSecret
  );
}

function refused(field: string, text: string): AuthMethodError {
  return new AuthMethodError('invalid_request', `${field}: nothing to rotate: ${text}`, { field });
}
