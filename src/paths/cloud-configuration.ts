import { AuthMethodError } from '../contract/index.js';
import type { CloudConfiguration, CloudEnvironment } from '../contract/index.js';
import { CONFIG_FIELDS } from './config-fields.js';
import type { ConfigValues } from './config-fields.js';
import { findEnvironment } from './config-rules.js';
import type { Dialect, EnvironmentVariables } from './dialect.js';

/** What the configuration is made of beside what is stored. */
export interface ConfigSources {
  readonly dialect: Dialect;
  readonly environments: readonly CloudEnvironment[];
  /** Environment variables of the process. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The stored values, with environment variables where those are absent. */
export function withVariables(stored: ConfigValues, { dialect, env }: ConfigSources): ConfigValues {
  const filled: Partial<Record<keyof EnvironmentVariables, string>> = {};
  for (const [field, variable] of Object.entries(dialect.variables) as [keyof EnvironmentVariables, string][]) {
    filled[field] = stored[field] || env[variable] || '';
  }
  // Federation in the configuration wins over a secret in the environment, as any configured value does.
  if (stored.identity_token_audience) filled.client_secret = '';
  return { ...stored, ...filled };
}

/** The configuration in force, or why there is none: `not_configured`. */
export function cloudConfiguration(stored: ConfigValues, sources: ConfigSources): CloudConfiguration | AuthMethodError {
  const values = withVariables(stored, sources);
  const environment = findEnvironment(sources.environments, environmentName(values));
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
    ...(values.identity_token_audience && {
      identityToken: {
        audience: values.identity_token_audience,
        ttl: values.identity_token_ttl || CONFIG_FIELDS.identity_token_ttl.default,
      },
    }),
    ...(values.auth_type && { credentialKind: values.auth_type }),
    maxAttempts: Math.max(1, values.max_retries ?? CONFIG_FIELDS.max_retries.default),
    retryDelay: values.retry_delay ?? CONFIG_FIELDS.retry_delay.default,
    maxRetryDelay: values.max_retry_delay ?? CONFIG_FIELDS.max_retry_delay.default,
  };
}

/** The spelling of the environment that is in force. */
export function environmentName(values: ConfigValues): string {
  return values.environment || CONFIG_FIELDS.environment.default;
}
