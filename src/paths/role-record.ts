import { addressBlocks } from '../contract/index.js';
import type { Auth } from '../contract/index.js';
import type { Bound, RoleConstraints } from '../login/facts.js';
import { fold, foldLocation } from '../login/fold.js';
import type { RoleValues } from './role-fields.js';

/** The part of an {@link Auth} that a renewal takes from the role as it is then (spec 2.2). */
export type RenewedLimits = Pick<Auth, 'ttl' | 'maxTtl' | 'period'>;

/** The part of an {@link Auth} that is the same for every login with a role. */
export type Granted = Omit<Auth, 'displayName' | 'alias' | 'groupAliases' | 'metadata'>;

/** A role, parsed once and ready for logins. */
export interface Role {
  readonly name: string;
  readonly values: RoleValues;
  readonly constraints: RoleConstraints;
  readonly renewedLimits: RenewedLimits;
  readonly granted: Granted;
}

/** Parses what is stored of a role. */
export function toRole(name: string, values: RoleValues): Role {
  // Hosts get these objects with every login: one that changed them would change the role.
  const policies = Object.freeze([...(values.token_policies ?? [])]);
  const renewedLimits = {
    ttl: values.token_ttl ?? 0,
    maxTtl: values.token_max_ttl ?? 0,
    period: values.token_period ?? 0,
  };
  const granted: Granted = Object.freeze({
    ...renewedLimits,
    policies,
    explicitMaxTtl: values.token_explicit_max_ttl ?? 0,
    numUses: values.token_num_uses ?? 0,
    tokenType: values.token_type ?? '',
    boundCidrs: Object.freeze([...(values.token_bound_cidrs ?? [])]),
    noDefaultPolicy: values.token_no_default_policy ?? false,
    renewable: true,
    // Renewal compares the policies with these and not with the token's: hosts add some of their own to those.
    internalData: Object.freeze({ role: name, policies: JSON.stringify([...policies].sort()) }),
  });
  return { name, values, constraints: constraintsOf(values), renewedLimits, granted };
}

/** What a role's stored values demand of a login. */
export function constraintsOf(values: RoleValues): RoleConstraints {
  const cidrs = values.token_bound_cidrs ?? [];
  return {
    servicePrincipalIds: bound(values.bound_service_principal_ids),
    groupIds: bound(values.bound_group_ids),
    subscriptionIds: bound(values.bound_subscription_ids),
    resourceGroups: bound(values.bound_resource_groups),
    locations: bound(values.bound_locations, foldLocation),
    scaleSets: bound(values.bound_scale_sets),
    ...(cidrs.length > 0 && { sourceAddresses: addressBlocks(cidrs) }),
  };
}

function bound(entries: readonly string[] = [], normalize = fold): Bound {
  return new Set(entries.map(normalize));
}
