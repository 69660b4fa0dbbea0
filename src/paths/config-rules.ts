import { Cron } from 'croner';
import { AuthMethodError } from '../contract/index.js';
import type { CloudEnvironment } from '../contract/index.js';
import { show } from '../framework/read-fields.js';
import { CONFIG_FIELDS } from './config-fields.js';
import type { ConfigValues } from './config-fields.js';

/** Finds an environment by any of its spellings. */
export function findEnvironment(environments: readonly CloudEnvironment[], name: string): CloudEnvironment | undefined {
  return environments.find((environment) => environment.name === name || environment.aliases.includes(name));
}

/**
 * Rules across the fields of a configuration (spec 2.1). Throws `invalid_request` naming the field.
 *
 * @param stored - what would be stored
 * @param effective - the same with environment variables filled in
 */
export function checkConfig(
  stored: ConfigValues,
  effective: ConfigValues,
  environments: readonly CloudEnvironment[],
  now: number,
): void {
  for (const field of ['tenant_id', 'resource'] as const) {
    if (!effective[field]) throw invalid(field, `is required; takes ${CONFIG_FIELDS[field].takes}`);
  }
  if (effective.environment && findEnvironment(environments, effective.environment) === undefined) {
    const names = environments.flatMap(({ name, aliases }) => [name, ...aliases]);
    throw invalid('environment', `got ${show(effective.environment)}; takes one of ${names.join(', ')}`);
  }
  if (stored.identity_token_audience && stored.client_secret) {
    throw invalid('identity_token_audience', 'cannot be set together with client_secret; set one of them to ""');
  }
  if (stored.identity_token_audience && !effective.client_id) {
    throw invalid('client_id', 'is required with identity_token_audience');
  }
  checkAuthType(effective);
  checkRotation(stored, now);
}

function checkAuthType({ auth_type: authType, client_id, client_secret, identity_token_audience }: ConfigValues): void {
  if (authType === 'root_creds' && !(client_id && client_secret)) {
    throw invalid('auth_type', 'got "root_creds", which needs client_id and client_secret');
  }
  if (authType === 'plugin_wif' && !identity_token_audience) {
    throw invalid('auth_type', 'got "plugin_wif", which needs client_id and identity_token_audience');
  }
}

function checkRotation(stored: ConfigValues, now: number): void {
  const { rotation_period: period, rotation_schedule: schedule, rotation_window: window } = stored;
  if (period && schedule)
    throw invalid('rotation_schedule', 'cannot be set together with rotation_period; set one of them to "" or 0');
  if (window && period) throw invalid('rotation_window', 'cannot be set together with rotation_period');
  if (window && !schedule) throw invalid('rotation_window', 'needs rotation_schedule');
  if (schedule && !isSchedule(schedule, now)) {
    throw invalid('rotation_schedule', `got ${show(schedule)}; takes ${CONFIG_FIELDS.rotation_schedule.takes}`);
  }
  if (!period && !schedule) return;
  const field = period ? 'rotation_period' : 'rotation_schedule';
  if (stored.auth_type && stored.auth_type !== 'root_creds')
    throw invalid(field, `cannot rotate with auth_type "${stored.auth_type}", which uses no client secret`);
  if (stored.identity_token_audience)
    throw invalid(field, 'cannot rotate with identity_token_audience: there is no client secret');
  if (!stored.client_id || !stored.client_secret) {
    throw invalid(
      field,
      'needs client_id and client_secret in the configuration: those of environment variables cannot be rotated',
    );
  }
}

function isSchedule(schedule: string, now: number): boolean {
  // The cron library also takes six fields and nicknames such as @daily; the spec takes five fields.
  if (schedule.trim().split(/\s+/).length !== 5) return false;
  try {
    return new Cron(schedule.trim(), { mode: '5-part', timezone: 'UTC' }).nextRun(new Date(now)) !== null;
  } catch {
    return false;
  }
}

function invalid(field: string, text: string): AuthMethodError {
  return new AuthMethodError('invalid_request', `${field}: ${text}`, { field });
}
