import { AuthMethodError } from '../contract/index.js';
import type { Clock, CloudConfiguration, CloudEnvironment, Storage } from '../contract/index.js';
import { RecordStore } from '../framework/record-store.js';
import type { StoredRecord } from '../framework/record-store.js';
import { CONFIG_FIELDS } from './config-fields.js';
import type { ConfigValues } from './config-fields.js';
import { checkConfig, findEnvironment } from './config-rules.js';
import type { Dialect, EnvironmentVariables } from './dialect.js';

/** Storage key of the configuration. */
export const CONFIG_KEY = 'config';

/** What the configuration is made of beside what is stored. */
export interface ConfigSources {
  readonly dialect: Dialect;
  readonly environments: readonly CloudEnvironment[];
  /** Environment variables of the process. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

interface LoadedConfig {
  readonly stored: ConfigValues | undefined;
  /** The configuration in force, or why there is none. */
  readonly inForce: CloudConfiguration | AuthMethodError;
}

/** The configuration of one mount: stored values over environment variables over defaults. */
export class ConfigStore {
  readonly #records: RecordStore<LoadedConfig>;
  readonly #sources: ConfigSources;
  readonly #clock: Clock;

  constructor(storage: Storage, clock: Clock, sources: ConfigSources, maxAge: number | undefined) {
    this.#sources = sources;
    this.#clock = clock;
    this.#records = new RecordStore<LoadedConfig>(storage, clock, {
      parse: (record) => ({ stored: record, inForce: this.#inForce(record ?? {}) }),
      maxEntries: 1,
      ...(maxAge !== undefined && { maxAge }),
    });
  }

  /** The stored values, or `undefined` when none were ever written. */
  async stored(): Promise<ConfigValues | undefined> {
    return (await this.#records.get(CONFIG_KEY)).stored;
  }

  /** The configuration in force: the same object until it changes. Throws `not_configured` when it is not complete. */
  async inForce(): Promise<CloudConfiguration> {
    const { inForce } = await this.#records.get(CONFIG_KEY);
    if (inForce instanceof AuthMethodError) throw new AuthMethodError(inForce.code, inForce.message);
    return inForce;
  }

  /** Changes the given fields and keeps the others. Throws `invalid_request` and stores nothing when a rule is broken. */
  async update(values: ConfigValues): Promise<void> {
    await this.#records.update(CONFIG_KEY, (current): StoredRecord => {
      const next = { ...current, ...values, version: 1 };
      checkConfig(next, this.#withVariables(next), this.#sources.environments, this.#clock.now());
      return next;
    });
  }

  delete(): Promise<void> {
    return this.#records.delete(CONFIG_KEY);
  }

  invalidate(key: string): void {
    if (key === CONFIG_KEY) this.#records.invalidate(key);
  }

  #withVariables(stored: ConfigValues): ConfigValues {
    const { dialect, env } = this.#sources;
    const filled: Partial<Record<keyof EnvironmentVariables, string>> = {};
    for (const [field, variable] of Object.entries(dialect.variables) as [keyof EnvironmentVariables, string][]) {
      filled[field] = stored[field] || env[variable] || '';
    }
    // Federation in the configuration wins over a secret in the environment, as any configured value does.
    if (stored.identity_token_audience) filled.client_secret = '';
    return { ...stored, ...filled };
  }

  #inForce(stored: ConfigValues): CloudConfiguration | AuthMethodError {
    const values = this.#withVariables(stored);
    const name = values.environment || CONFIG_FIELDS.environment.default;
    const environment = findEnvironment(this.#sources.environments, name);
    // An environment variable has not been through the checks of a write.
    const isTenant = values.tenant_id && CONFIG_FIELDS.tenant_id.parse(values.tenant_id) !== undefined;
    const missing = !isTenant ? 'tenant_id' : !values.resource ? 'resource' : environment ? undefined : 'environment';
    if (missing !== undefined || !values.tenant_id || !values.resource || !environment) {
      return new AuthMethodError(
        'not_configured',
        `the method is not configured: ${missing ?? 'config'} is missing or unknown`,
      );
    }
    // A pin on another kind of credential is never met with the secret.
    const takesSecret = !values.auth_type || values.auth_type === 'root_creds';
    return {
      tenantId: values.tenant_id,
      resource: values.resource,
      environment,
      ...(values.client_id && { clientId: values.client_id }),
      ...(takesSecret && values.client_secret && { clientSecret: values.client_secret }),
      maxAttempts: Math.max(1, values.max_retries ?? CONFIG_FIELDS.max_retries.default),
      retryDelay: values.retry_delay ?? CONFIG_FIELDS.retry_delay.default,
      maxRetryDelay: values.max_retry_delay ?? CONFIG_FIELDS.max_retry_delay.default,
    };
  }
}
