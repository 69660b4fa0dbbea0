/** What decides how long a token lives. Whole seconds; 0 = not set. */
export interface LifetimeTerms {
  readonly ttl: number;
  readonly maxTtl: number;
  readonly explicitMaxTtl: number;
  readonly period: number;
}

/** What the mount is tuned to, in seconds. */
export interface LeaseLimits {
  readonly defaultLeaseTtl: number;
  readonly maxLeaseTtl: number;
}

/** How long a token lives from now. */
export interface Lifetime {
  /** Seconds. Not above 0 when the token has reached its maximum. */
  readonly ttl: number;
  readonly warnings: readonly string[];
}

/**
 * The lifetime rule: at most the smallest of the mount's maximum, `maxTtl` and `explicitMaxTtl`, counted from the token's
 * creation. A periodic token is granted its period again and again; only `explicitMaxTtl` ends it for good.
 *
 * @param age - whole seconds since the token was made; 0 for a new one
 */
export function grantLifetime(terms: LifetimeTerms, limits: LeaseLimits, age: number): Lifetime {
  const ceilings = [terms.maxTtl, terms.explicitMaxTtl].filter((ceiling) => ceiling > 0);
  const max = Math.min(limits.maxLeaseTtl, ...ceilings);
  const periodic = terms.period > 0;
  const endOfLife = periodic ? terms.explicitMaxTtl || Infinity : max;
  const wanted = terms.period || terms.ttl || limits.defaultLeaseTtl;
  const ttl = Math.min(wanted, max, endOfLife - age);
  const warnings = ttl < wanted ? [`the lifetime of ${wanted} seconds was cut to the ${ttl} seconds allowed`] : [];
  return { ttl, warnings };
}
