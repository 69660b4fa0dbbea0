import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { attempt, LEGITIMATE, mountForAnyLogin } from './legitimate.js';
import type { Legitimate, Spelling } from './legitimate.js';
import { changedId, changedName } from './mutations.js';
import { isOfScaleSet, sameSegments } from './oracle.js';
import { runs } from './seeded.js';

const REFUSALS = ['login_denied', 'invalid_request'];
const CLAIM = fc.constantFrom('resourceId', 'managedIdentityId');
const PROVEN = LEGITIMATE.filter(({ proof }) => proof !== undefined);

/** Whether a proof is still one of what the login names. */
function isProof({ kind, confirmed, orchestration }: Legitimate, proof: string): boolean {
  return kind.endsWith('scale set') ? isOfScaleSet(proof, confirmed, orchestration) : sameSegments(proof, confirmed);
}

/** Whether an answer of the cloud is still about what the login names; of a workload, an identity in that group. */
function isAnswer({ kind, confirmed }: Legitimate, id: string): boolean {
  const unnamed = (text: string): string => text.replace(/[^/]+$/, '');
  return kind === 'workload' ? sameSegments(unnamed(id), unnamed(confirmed)) : sameSegments(id, confirmed);
}

test.each(LEGITIMATE)('the login that is changed below is granted: $kind', async (login) => {
  const mount = await mountForAnyLogin();
  expect(await attempt(mount, login)).toBe('granted');
  expect(await attempt(mount, login, 'managedIdentityId')).toBe('granted');
});

describe('a login is refused when one thing in it was changed', () => {
  test.each(PROVEN)('the proof of a $kind', async (login) => {
    const mount = await mountForAnyLogin();
    await fc.assert(
      fc.asyncProperty(changedId(login.proof!), CLAIM, async (proof, claim) => {
        fc.pre(!isProof(login, proof));
        expect(await attempt(mount, { ...login, proof }, claim)).toBe('login_denied');
      }),
      runs(600),
    );
  });

  test.each(LEGITIMATE)("the cloud's answer for a $kind", async (login) => {
    const mount = await mountForAnyLogin();
    await fc.assert(
      fc.asyncProperty(changedId(login.confirmed), CLAIM, async (confirmed, claim) => {
        fc.pre(!isAnswer(login, confirmed));
        expect(await attempt(mount, { ...login, confirmed }, claim)).toBe('login_denied');
      }),
      runs(300),
    );
  });

  // The cloud knows whatever is named, with the caller's identity attached: nothing but the proof stands in the way.
  test.each(PROVEN)('what the request names of a $kind', async (login) => {
    const mount = await mountForAnyLogin();
    const fields = Object.keys(login.body).filter((field) => !['role', 'jwt'].includes(field));
    const requests = fc
      .constantFrom(...fields)
      .chain((field) => {
        const value = login.body[field]!;
        const changed = field === 'resource_id' ? changedId(value) : changedName(value);
        return changed.map((text) => ({ ...login.body, [field]: text }));
      })
      .map((body) => ({ body, named: idNamedBy(login, body) }));
    await fc.assert(
      fc.asyncProperty(requests, CLAIM, async ({ body, named }, claim) => {
        fc.pre(!isProof({ ...login, confirmed: named }, login.proof!) && isFilled(body));
        expect(REFUSALS).toContain(await attempt(mount, { ...login, body, confirmed: named }, claim));
      }),
      runs(600),
    );
  });

  test('the group that a workload names, its identity being in another', async () => {
    const login = LEGITIMATE.find(({ kind }) => kind === 'workload')!;
    const mount = await mountForAnyLogin();
    await fc.assert(
      fc.asyncProperty(changedName(login.body['resource_group_name']!), async (group) => {
        fc.pre(group !== '');
        const body = { ...login.body, resource_group_name: group };
        expect(REFUSALS).toContain(await attempt(mount, { ...login, body }));
      }),
      runs(200),
    );
  });
});

/** The id of what a changed request names, as an obliging cloud would spell it. */
function idNamedBy({ body, confirmed }: Legitimate, changed: Readonly<Record<string, string>>): string {
  if (changed['resource_id'] !== body['resource_id']) return changed['resource_id'] ?? '';
  const segments = confirmed.split('/');
  const name = changed['vm_name'] ?? changed['vmss_name'] ?? segments.at(-1)!;
  return segments
    .with(2, changed['subscription_id']!)
    .with(4, changed['resource_group_name']!)
    .with(-1, name)
    .join('/');
}

/** An emptied field is one that was not given, so that the request names something else altogether. */
function isFilled(body: Readonly<Record<string, string>>): boolean {
  return Object.values(body).every((value) => value !== '');
}

describe('a login stays granted in any case', () => {
  const cased = (text: string): fc.Arbitrary<string> => fc.mixedCase(fc.constant(text));
  const object = 'abcdefab-0000-0000-0000-abcdefabcdef';
  const spellings: fc.Arbitrary<Spelling> = fc.record({
    objectId: cased(object),
    principalId: cased(object),
    applicationId: cased(object),
    clientId: cased(object),
    location: fc.constantFrom('westeurope', 'West Europe', 'WEST EUROPE', 'westEurope', ' west europe '),
  });

  test.each(LEGITIMATE)('$kind', async (login) => {
    const mount = await mountForAnyLogin(['West Europe', 'eastus']);
    const bodies = fc.record(
      Object.fromEntries(
        Object.entries(login.body).map(([field, value]) => [
          field,
          field === 'jwt' ? fc.constant(value) : cased(value),
        ]),
      ),
    );
    const proofs = login.proof === undefined ? fc.constant({}) : fc.record({ proof: cased(login.proof) });
    await fc.assert(
      fc.asyncProperty(bodies, proofs, cased(login.confirmed), CLAIM, spellings, async (...given) => {
        const [body, proof, confirmed, claim, spelling] = given;
        expect(await attempt(mount, { ...login, body, ...proof, confirmed }, claim, spelling)).toBe('granted');
      }),
      runs(200),
    );
  });
});
