import { booleanField, choiceField, durationField, integerField, stringField } from '../framework/field.js';
import type { FieldValues } from '../framework/field.js';

const HOUR = 3_600;

// A tenant is named by its id or one of its domains. A name without a dot (`common`, `organizations`) is no tenant.
const TENANT =
  /^(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63})$/i;

/** Fields of the configuration (spec 2.1, and what existing clients send beyond it). */
export const CONFIG_FIELDS = {
  tenant_id: stringField({
    description: 'Tenant of the directory organization.',
    pattern: TENANT,
    takes: 'a tenant id (a GUID) or a domain name of the tenant',
    maxLength: 253,
  }),
  resource: stringField({
    description: 'Resource URL of the registered application; the audience of identity tokens must equal it.',
  }),
  environment: stringField({
    description: 'Cloud environment.',
    default: 'CloudPublicCloud',
    takes: 'the name of a known environment, for instance "CloudPublicCloud"',
    maxLength: 128,
  }),
  client_id: stringField({
    description: 'Client id of the credentials that query the provider.',
    default: '',
    maxLength: 256,
  }),
  client_secret: stringField({
    description: 'Client secret of those credentials. Excludes identity_token_audience.',
    default: '',
    secret: true,
  }),
  identity_token_audience: stringField({
    description: 'Audience of plugin identity tokens (federation). Excludes client_secret.',
    default: '',
    maxLength: 599,
  }),
  identity_token_ttl: durationField({
    description: 'Lifetime of plugin identity tokens; 0 = the default.',
    default: HOUR,
    minimum: 1,
  }),
  auth_type: choiceField({
    description: 'Pins the kind of credential instead of taking the first that is configured.',
    default: '',
    choices: ['', 'root_creds', 'plugin_wif', 'msi', 'aks_wi'],
  }),
  max_retries: integerField({
    description: 'Attempts at a provider call before an error is produced.',
    default: 3,
    maximum: 100,
  }),
  retry_delay: durationField({
    description: 'Delay before the second attempt; doubles from there.',
    default: 4,
    fractions: true,
  }),
  max_retry_delay: durationField({ description: 'Longest delay between attempts.', default: 60, fractions: true }),
  rotation_period: durationField({
    description: 'Time between automatic root rotations; 0 = none. Excludes rotation_schedule.',
    default: 0,
    minimum: 5,
  }),
  rotation_schedule: stringField({
    description: 'Cron expression in UTC for automatic root rotations. Excludes rotation_period.',
    default: '',
    maxLength: 256,
    takes: 'five cron fields that come true some day, for instance "0 0 * * SAT"',
  }),
  rotation_window: durationField({
    description: 'Time that a scheduled rotation may take; 0 = unbounded. Only with rotation_schedule.',
    default: 0,
  }),
  disable_automated_rotation: booleanField({
    description: 'Cancels automatic root rotations until it is unset.',
    default: false,
  }),
  root_password_ttl: durationField({
    description: 'Lifetime of client secrets that root rotation creates; 0 = the default.',
    default: 4_380 * HOUR,
    minimum: 1,
  }),
} as const;

/** Values of a configuration write, or the stored ones. */
export type ConfigValues = FieldValues<typeof CONFIG_FIELDS>;
