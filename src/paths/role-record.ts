import { addressBlocks } from '../contract/index.js';
import type { Bound, RoleConstraints } from '../login/facts.js';
import { fold, foldLocation } from '../login/fold.js';
import type { RoleValues } from './role-fields.js';

/** A role, parsed once and ready for logins. */
export interface Role {
  readonly name: string;
  readonly values: RoleValues;
  readonly constraints: RoleConstraints;
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
