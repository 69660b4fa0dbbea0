import { expect, test } from '@jest/globals';
import { AuthMethodError } from '../../src/contract/index.js';
import { CLOUD_RULES, SOURCE_RULES, TOKEN_RULES } from '../../src/login/rules.js';
import { CONFIG, MACHINE_LOGIN, Mount, OBJECT, SUBSCRIPTION, vm } from '../paths/mount.js';

interface Explanation {
  granted: boolean;
  rules: { rule: string; outcome: string; seen?: string; wanted?: string }[];
  error?: string;
}

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

async function explain(mount: Mount, changes: object = {}): Promise<Explanation> {
  const response = await mount.write('login/explain', { ...MACHINE_LOGIN, ...changes });
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
  expect((await explain(mount, { source_address: '10.1.2.3' })).granted).toBe(true);
  const refused = await explain(mount, { source_address: '192.0.2.1' });
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
