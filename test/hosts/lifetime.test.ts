import { describe, expect, it } from '@jest/globals';
import { grantLifetime } from '../../src/hosts/core/lifetime.js';

const LIMITS = { defaultLeaseTtl: 1_000, maxLeaseTtl: 5_000 };
const NONE = { ttl: 0, maxTtl: 0, explicitMaxTtl: 0, period: 0 };

describe('the lifetime rule', () => {
  it.each([
    // terms, age, expected
    [{}, 0, 1_000],
    [{ ttl: 300 }, 0, 300],
    [{ ttl: 9_000 }, 0, 5_000],
    [{ ttl: 300, maxTtl: 200 }, 0, 200],
    [{ ttl: 300, explicitMaxTtl: 100 }, 0, 100],
    [{ maxTtl: 200 }, 0, 200],
    [{ ttl: 300, maxTtl: 9_000 }, 0, 300],
    [{ ttl: 300, maxTtl: 400 }, 250, 150],
    [{ ttl: 300, maxTtl: 400 }, 400, 0],
    [{ ttl: 300 }, 4_900, 100],
    [{ period: 60, ttl: 300 }, 0, 60],
    [{ period: 60 }, 1_000_000, 60],
    [{ period: 9_000 }, 0, 5_000],
    [{ period: 60, maxTtl: 50 }, 1_000, 50],
    [{ period: 60, explicitMaxTtl: 100 }, 70, 30],
    [{ period: 60, explicitMaxTtl: 100 }, 100, 0],
  ])('grants %j at the age of %i seconds %i seconds', (terms, age, expected) => {
    expect(grantLifetime({ ...NONE, ...terms }, LIMITS, age).ttl).toBe(expected);
  });

  it('warns exactly when it cuts', () => {
    expect(grantLifetime({ ...NONE, ttl: 5_000 }, LIMITS, 0).warnings).toEqual([]);
    expect(grantLifetime({ ...NONE, ttl: 5_001 }, LIMITS, 0).warnings).toEqual([
      'the lifetime of 5001 seconds was cut to the 5000 seconds allowed',
    ]);
  });
});
