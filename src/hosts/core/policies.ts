/** The policy that may do everything. Only the server's own root token, and tokens it makes, have it. */
export const ROOT_POLICY = 'root';

/** The policy that may administer mounts and tokens. */
export const ADMIN_POLICY = 'admin';

/** Policies as tokens hold them: trimmed, lower-cased, each once, sorted. */
export function normalizePolicies(names: readonly string[], noDefaultPolicy: boolean): string[] {
  const policies = new Set(names.map((name) => name.trim().toLowerCase()));
  policies.delete('');
  // A root token needs no other policy.
  if (!noDefaultPolicy && !policies.has(ROOT_POLICY)) policies.add('default');
  return [...policies].sort();
}
