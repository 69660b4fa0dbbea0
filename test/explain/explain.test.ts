import { expect, test } from '@jest/globals';
import { AuthMethodError } from '../../src/contract/index.js';
import type { IdentityClaims } from '../../src/contract/index.js';
import { TOKEN_RULES as TOKEN_VALIDATOR_RULES } from '../../src/jwt/index.js';
import { CLOUD_RULES, SOURCE_RULES, TOKEN_RULES } from '../../src/login/rules.js';
import { CONFIG, MACHINE_LOGIN, Mount, OBJECT, SUBSCRIPTION, vm } from '../paths/mount.js';

interface Explanation {
  granted: boolean;
  rules: { rule: string; outcome: string; seen?: string; wanted?: string }[];
  error?: string;
}

const NOT_EMPTY = expect.stringMatching(/./) as unknown;
const VALIDATOR_RULES = ['token-shape', 'token-signature'];
const ALL_RULES = [SOURCE_RULES, VALIDATOR_RULES.map((name) => ({ name })), TOKEN_RULES, CLOUD_RULES].flatMap((rules) =>
  rules.map(({ name }) => name),
);

async function mountWithMachine(role: object = {}): Promise<Mount> {
  const mount = new Mount();
  await mount.write('config', CONFIG);
  await mount.write('role/dev', { bound_subscription_ids: [SUBSCRIPTION], ...role });
  const claims = { objectId: OBJECT, groupOverage: false, expiresAt: 2_000_000_000, resourceId: vm('web') };
  mount.validator.answer = claims;
  mount.lookups.machine = { id: vm('web'), location: 'westeurope', systemPrincipalId: OBJECT, userAssigned: [] };
  return mount;
}

async function explain(mount: Mount, changes: object = {}, remoteAddress?: string): Promise<Explanation> {
  const response = await mount.request('update', 'login/explain', { ...MACHINE_LOGIN, ...changes }, remoteAddress);
  expect(response?.auth).toBeUndefined();
  return response?.data as unknown as Explanation;
}

function outcomes({ rules }: Explanation): Record<string, string> {
  return Object.fromEntries(rules.map(({ rule, outcome }) => [rule, outcome]));
}

test('a login that would be granted shows every rule in order, passed or not needed', async () => {
  const explanation = await explain(await mountWithMachine());
  expect(explanation.granted).toBe(true);
  expect(explanation.rules.map(({ rule }) => rule)).toEqual(ALL_RULES);
  expect(outcomes(explanation)).toMatchObject({
    'role-constrained': 'passed',
    'token-signature': 'passed',
    'service-principal-bound': 'not needed',
    'subscription-bound': 'passed',
    'identity-attached': 'passed',
    'location-bound': 'not needed',
  });
});

function report({ rules }: Explanation, name: string): Explanation['rules'][number] | undefined {
  return rules.find(({ rule }) => rule === name);
}

test('every rule that was applied shows what it held against each other', async () => {
  const explanation = await explain(await mountWithMachine({ bound_locations: ['West Europe'] }));
  const applied = explanation.rules.filter(({ outcome }) => outcome === 'passed');
  const own = applied.filter(({ rule }) => !VALIDATOR_RULES.includes(rule));
  expect(own.length).toBeGreaterThan(8);
  for (const { rule, seen, wanted } of own) expect([rule, seen, wanted]).toEqual([rule, NOT_EMPTY, NOT_EMPTY]);
  expect(report(explanation, 'identity-attached')).toMatchObject({ seen: OBJECT, wanted: OBJECT });
  expect(report(explanation, 'location-bound')).toMatchObject({ seen: 'westeurope', wanted: 'westeurope' });
  expect(report(explanation, 'scale-set-bound')).toEqual({ rule: 'scale-set-bound', outcome: 'not needed' });
});

test('a verified token shows what is left of its claims, under the names of the rules that read them', async () => {
  const mount = await mountWithMachine();
  Object.assign(mount.validator, { rules: TOKEN_VALIDATOR_RULES });
  const shown = (await explain(mount)).rules.filter(({ rule }) => rule.startsWith('token-'));
  expect(shown.slice(0, TOKEN_VALIDATOR_RULES.length).map(({ rule }) => rule)).toEqual(TOKEN_VALIDATOR_RULES);
  expect(shown).toEqual(
    expect.arrayContaining([
      { rule: 'token-shape', outcome: 'passed' },
      { rule: 'token-tenant', outcome: 'passed', wanted: CONFIG.tenant_id },
      { rule: 'token-audience', outcome: 'passed', wanted: CONFIG.resource },
      { rule: 'token-expiry', outcome: 'passed', seen: '2033-05-18T03:33:20.000Z' },
      { rule: 'token-principal', outcome: 'passed', seen: OBJECT },
      { rule: 'token-application', outcome: 'passed', seen: 'none' },
      { rule: 'token-groups', outcome: 'passed', seen: 'none' },
      { rule: 'token-resource', outcome: 'passed', seen: vm('web') },
    ]),
  );
});

test('no secret is shown, and no value without bounds or with what a terminal obeys', async () => {
  const mount = await mountWithMachine({ bound_group_ids: ['g1'] });
  await mount.write('config', { ...CONFIG, client_id: OBJECT, client_secret: 'canary-secret' });
  const groups = ['g1\u202e', '\u001b[2J', ...Array.from({ length: 500 }, (_, index) => `group-${index}`)];
  mount.validator.answer = { ...(mount.validator.answer as IdentityClaims), groups };
  const explanation = await explain(mount);
  const text = JSON.stringify(explanation);
  expect(text).not.toContain('canary-');
  expect(text).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  const { seen = '' } = report(explanation, 'group-bound') ?? {};
  expect(seen).toMatch(/^g1\\u\{202e\}, \\u\{1b\}\[2J, group-0, .*\.\.\. \(\d+ more characters\)$/);
  expect(seen.length).toBeLessThan(600);
});

test('a refusal shows what was seen and wanted, and what was not reached', async () => {
  const mount = await mountWithMachine({ bound_resource_groups: ['other'] });
  const explanation = await explain(mount);
  expect(explanation.granted).toBe(false);
  expect(explanation.rules.find(({ rule }) => rule === 'resource-group-bound')).toEqual({
    rule: 'resource-group-bound',
    outcome: 'failed',
    seen: 'rg',
    wanted: 'other',
  });
  expect(outcomes(explanation)).toMatchObject({ 'resource-exists': 'not reached', 'location-bound': 'not reached' });
  expect(mount.lookups.machineCalls).toEqual([]);
});

test("a refusal by one of the token's own rules stops there", async () => {
  const mount = await mountWithMachine();
  mount.validator.answer = new AuthMethodError('login_denied', 'not signed', { rule: 'token-signature' });
  const explanation = await explain(mount);
  expect(outcomes(explanation)).toMatchObject({
    'token-shape': 'passed',
    'token-signature': 'failed',
    'service-principal-bound': 'not reached',
    'resource-exists': 'not reached',
  });
  expect(report(explanation, 'token-signature')).toEqual({
    rule: 'token-signature',
    outcome: 'failed',
    seen: 'not signed',
  });
});

test('an outage is named and decides nothing', async () => {
  const mount = await mountWithMachine();
  mount.lookups.machine = new AuthMethodError('provider_unavailable', 'the cloud is down');
  const explanation = await explain(mount);
  expect(explanation).toMatchObject({ granted: false, error: 'the cloud is down' });
  expect(outcomes(explanation)).toMatchObject({ 'subscription-bound': 'passed', 'resource-exists': 'not reached' });
});

test('the source address can be another one than that of the administrator', async () => {
  const mount = await mountWithMachine({ token_bound_cidrs: ['10.0.0.0/8'] });
  expect((await explain(mount, {}, '10.1.2.3')).granted).toBe(true);
  expect((await explain(mount, { source_address: '10.1.2.3' }, '192.0.2.1')).granted).toBe(true);
  const refused = await explain(mount, { source_address: '192.0.2.1' }, '10.1.2.3');
  expect(outcomes(refused)).toMatchObject({ 'source-address-bound': 'failed', 'token-shape': 'not reached' });
  await expect(explain(mount, { source_address: '10.0.0.0/8' })).rejects.toThrow('source_address: got');
});

test('an unknown role is a 400, as at a login', async () => {
  await expect(explain(await mountWithMachine(), { role: 'nobody' })).rejects.toMatchObject({ code: 'unknown_role' });
});

test('it needs a service token, unlike the login', async () => {
  const { backend } = await mountWithMachine();
  expect(backend.specialPaths.unauthenticated).toEqual(['login']);
});
