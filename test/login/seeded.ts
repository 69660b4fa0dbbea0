const SEED = Number(process.env['SEED'] ?? 4);

/**
 * How a property runs: from one seed, so that each run is the same; `SEED=5 npm run jest` takes another. A failure prints the seed
 * with the path to the smallest input that fails.
 */
export function runs(numRuns: number): { readonly seed: number; readonly numRuns: number } {
  return { seed: SEED, numRuns };
}
