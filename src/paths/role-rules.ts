import { AuthMethodError } from '../contract/index.js';
import { GUID } from '../login/names.js';
import { isConstrained } from '../login/principal-rules.js';
import { constraintsOf } from './role-record.js';
import type { RoleValues } from './role-fields.js';

const ANY = '*';

/**
 * Rules across the fields of a role (spec 2.2). Throws `invalid_request` naming the field; adds warnings about what is legal but
 * looks like a mistake.
 *
 * @param maxLeaseTtl - seconds, as tuned for the mount
 */
export function checkRole(role: RoleValues, maxLeaseTtl: number, warnings: string[]): void {
  checkPrincipals(role, 'bound_service_principal_ids', warnings);
  checkPrincipals(role, 'bound_group_ids', warnings);
  if (!isConstrained(constraintsOf(role))) {
    throw invalid(
      'bound_service_principal_ids',
      'the role needs at least one bound_* list with a value other than "*"',
    );
  }
  checkToken(role);
  for (const field of ['token_ttl', 'token_max_ttl', 'token_period'] as const) {
    if ((role[field] ?? 0) > maxLeaseTtl) warnings.push(`${field}: the mount caps it at ${maxLeaseTtl} seconds`);
  }
}

function checkPrincipals(
  role: RoleValues,
  field: 'bound_service_principal_ids' | 'bound_group_ids',
  warnings: string[],
): void {
  const ids = role[field] ?? [];
  if (ids.includes(ANY) && ids.length > 1)
    throw invalid(field, '"*" stands alone: with other values it would let everybody in');
  if (ids.some((id) => id !== ANY && !GUID.pattern.test(id))) {
    warnings.push(`${field}: object ids are GUIDs; an entry that is none will hardly match`);
  }
}

function checkToken(role: RoleValues): void {
  const { token_ttl: ttl = 0, token_max_ttl: maxTtl = 0, token_type: type = '' } = role;
  if (role.token_policies?.includes('root')) throw invalid('token_policies', 'got "root", which no login can get');
  if (maxTtl > 0 && ttl > maxTtl)
    throw invalid('token_ttl', `got ${ttl} seconds, which is more than token_max_ttl (${maxTtl})`);
  if (type !== 'batch' && type !== 'default-batch') return;
  for (const field of ['token_num_uses', 'token_period'] as const) {
    if (role[field]) throw invalid(field, `cannot be set together with token_type ${JSON.stringify(type)}`);
  }
}

function invalid(field: string, text: string): AuthMethodError {
  return new AuthMethodError('invalid_request', `${field}: ${text}`, { field });
}
