import {
  booleanField,
  choiceField,
  cidrListField,
  durationField,
  integerField,
  listField,
} from '../framework/field.js';
import type { FieldValues } from '../framework/field.js';
import { COMPUTE_NAME, GUID, RESOURCE_GROUP_NAME } from '../login/names.js';

const PRINCIPAL = /^[^\s\p{C}]{1,256}$/u;
const LOCATION = /^[\p{L}\p{N}][\p{L}\p{N} ()-]{0,63}$/u;
const POLICY = /^[^\p{C}]{1,256}$/u;
const POLICY_LIST = 'an array or a comma-delimited text of policy names';

const tokenPolicies = { lowerCase: true, pattern: POLICY, takes: POLICY_LIST, default: [] } as const;

function listOf(what: string): string {
  return `an array or a comma-delimited text of entries, each ${what.replace(/^an? /, 'a ')}`;
}

/** Lists that restrict who can log in with a role (spec 2.2). */
export const BOUND_FIELDS = {
  bound_service_principal_ids: listField({
    description: 'Object ids of the service principals that may log in; a lone "*" means any.',
    pattern: PRINCIPAL,
    takes: listOf('the object id of a service principal'),
    default: [],
  }),
  bound_group_ids: listField({
    description: 'Object ids of groups, one of which the principal must be in; a lone "*" means any.',
    pattern: PRINCIPAL,
    takes: listOf('the object id of a group'),
    default: [],
  }),
  bound_locations: listField({
    description: 'Locations the machine may be in; case and blanks do not count.',
    pattern: LOCATION,
    takes: listOf('a location such as "westeurope"'),
    default: [],
  }),
  bound_subscription_ids: listField({
    description: 'Subscriptions the machine may be in.',
    pattern: GUID.pattern,
    takes: listOf(GUID.takes),
    default: [],
  }),
  bound_resource_groups: listField({
    description: 'Resource groups the machine may be in.',
    pattern: RESOURCE_GROUP_NAME.pattern,
    takes: listOf(RESOURCE_GROUP_NAME.takes),
    default: [],
  }),
  bound_scale_sets: listField({
    description: 'Scale sets the machine may belong to.',
    pattern: COMPUTE_NAME.pattern,
    takes: listOf(COMPUTE_NAME.takes),
    default: [],
  }),
} as const;

/** Settings of the tokens that logins with a role get (spec 2.2). */
export const TOKEN_FIELDS = {
  token_ttl: durationField({ description: 'Incremental lifetime of tokens; read again at renewal.', default: 0 }),
  token_max_ttl: durationField({ description: 'Longest lifetime of tokens; read again at renewal.', default: 0 }),
  token_explicit_max_ttl: durationField({ description: 'Hard cap on the lifetime of tokens.', default: 0 }),
  token_period: durationField({ description: 'Period of periodic tokens; 0 = tokens are not periodic.', default: 0 }),
  token_policies: listField({ description: 'Policies of tokens.', ...tokenPolicies }),
  token_bound_cidrs: cidrListField({
    description: 'Address blocks that logins and tokens are bound to; empty = anywhere.',
    default: [],
  }),
  token_no_default_policy: booleanField({ description: 'Leaves the policy "default" out.', default: false }),
  token_num_uses: integerField({ description: 'Uses of a token; 0 = unlimited.', default: 0, maximum: 2_147_483_647 }),
  token_type: choiceField({
    description: 'Kind of token; empty = the default of the mount.',
    default: '',
    choices: ['', 'default', 'service', 'batch', 'default-service', 'default-batch'],
  }),
} as const;

/** Old names of token settings: accepted on writes, mirrored on reads, never stored. */
export const DEPRECATED_FIELDS = {
  policies: listField({ description: 'Policies of tokens.', deprecatedFor: 'token_policies', ...tokenPolicies }),
  ttl: durationField({ description: 'Incremental lifetime of tokens.', deprecatedFor: 'token_ttl', default: 0 }),
  max_ttl: durationField({ description: 'Longest lifetime of tokens.', deprecatedFor: 'token_max_ttl', default: 0 }),
  period: durationField({ description: 'Period of periodic tokens.', deprecatedFor: 'token_period', default: 0 }),
  num_uses: integerField({
    description: 'Uses of a token.',
    deprecatedFor: 'token_num_uses',
    default: 0,
    maximum: 2_147_483_647,
  }),
} as const;

/** Fields of a role. */
export const ROLE_FIELDS = {
  ...BOUND_FIELDS,
  ...TOKEN_FIELDS,
  ...DEPRECATED_FIELDS,
  max_jwt_exp: durationField({ description: 'Stored and returned, without effect.', default: 0 }),
} as const;

/** Values of a role write, or the stored ones. */
export type RoleValues = FieldValues<typeof ROLE_FIELDS>;
