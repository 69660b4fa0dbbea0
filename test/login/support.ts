import { describe, expect, test } from '@jest/globals';
import { AuthMethodError } from '../../src/contract/index.js';
import type { AttachedIdentity, ConfirmedResource, IdentityClaims, Orchestration } from '../../src/contract/index.js';
import type { CloudFacts, LoginRequest } from '../../src/login/facts.js';
import { parseResourceId } from '../../src/login/resource-id.js';
import { enforce } from '../../src/login/rule.js';
import type { Evidence, LoginRule, Refusal } from '../../src/login/rule.js';
import { CLOUD_RULES, SOURCE_RULES, TOKEN_RULES } from '../../src/login/rules.js';
import { tokenFacts } from '../../src/login/token-facts.js';
import type { RoleValues } from '../../src/paths/role-fields.js';
import { constraintsOf } from '../../src/paths/role-record.js';

export const SUBSCRIPTION = '11111111-1111-1111-1111-11111111111a';
export const OTHER_SUBSCRIPTION = '11111111-1111-1111-1111-11111111111b';
export const OBJECT = 'aaaaaaaa-0000-0000-0000-000000000001';
export const OTHER_OBJECT = 'bbbbbbbb-0000-0000-0000-000000000002';
export const APPLICATION = 'cccccccc-0000-0000-0000-000000000003';

/** Resource id of anything, for instance of the type `Microsoft.Web/sites`. */
export function resource(type: string, name: string, group = 'rg', subscription = SUBSCRIPTION): string {
  return `/subscriptions/${subscription}/resourceGroups/${group}/providers/${type}/${name}`;
}

/** Resource id of a virtual machine. */
export function vm(name: string, group = 'rg', subscription = SUBSCRIPTION): string {
  return resource('Microsoft.Compute/virtualMachines', name, group, subscription);
}

/** Resource id of a scale set. */
export function scaleSet(name: string, group = 'rg', subscription = SUBSCRIPTION): string {
  return resource('Microsoft.Compute/virtualMachineScaleSets', name, group, subscription);
}

/** Resource id of a web app, which stands for whatever is no machine. */
export function site(name: string, group = 'rg', subscription = SUBSCRIPTION): string {
  return resource('Microsoft.Web/sites', name, group, subscription);
}

/** Resource id of a user-assigned identity, in a spelling of the cloud that differs from the others. */
export function userIdentity(name: string, group = 'rg', subscription = SUBSCRIPTION): string {
  return resource('Microsoft.ManagedIdentity/userAssignedIdentities', name, group, subscription).replace(
    'resourceGroups',
    'resourcegroups',
  );
}

/** Request fields that name a scale set and nothing else. */
export function asScaleSet(scaleSetName: string): Partial<LoginRequest> {
  return { vmName: '', scaleSetName };
}

/** Request fields that name a resource by its id and nothing else. */
export function asResource(id: string): Partial<LoginRequest> {
  const resourceId = parseResourceId(id);
  if (resourceId === undefined) throw new Error(`not a resource id: ${id}`);
  return { vmName: '', resourceId };
}

/** Request fields that name nothing. */
export const AS_WORKLOAD: Partial<LoginRequest> = { vmName: '' };

/** The parts of a login that a test cares about. */
export interface Login {
  readonly role?: RoleValues;
  readonly address?: string;
  readonly request?: Partial<LoginRequest>;
  readonly claims?: Partial<IdentityClaims>;
  readonly confirmed?: ConfirmedResource;
  readonly orchestration?: Orchestration;
  /** Object ids of user-assigned identities that are attached beside those that the cloud lists with the resource. */
  readonly users?: readonly string[];
  readonly confirmedGroups?: readonly string[];
}

/** Facts of a login; by default one of nobody in particular that names the virtual machine `web` in `rg`. */
export function factsOf({ role = {}, address, request, claims, confirmed, users = [], ...cloud }: Login): CloudFacts {
  const looked: AttachedIdentity[] = users.map((principalId, index) => ({
    id: userIdentity(`user-${index}`),
    principalId,
  }));
  const facts = tokenFacts(
    { role: constraintsOf(role), remoteAddress: address },
    { subscriptionId: SUBSCRIPTION, resourceGroup: 'rg', vmName: 'web', scaleSetName: '', ...request },
    { objectId: OBJECT, groupOverage: false, expiresAt: 2_000_000_000, ...claims },
  );
  const { orchestration, confirmedGroups } = cloud;
  return {
    ...facts,
    confirmed,
    attached: [...(confirmed?.userAssigned ?? []), ...looked],
    ...(orchestration !== undefined && { orchestration }),
    ...(confirmedGroups !== undefined && { confirmedGroups }),
  };
}

/** What the cloud says about a resource, `web` in `rg` unless told otherwise. */
export function confirmedResource(changes: Partial<ConfirmedResource> = {}): ConfirmedResource {
  return { id: vm('web'), location: 'westeurope', userAssigned: [], ...changes };
}

/** Applies all rules in the order of a login: `granted`, or the name of the rule that refuses. */
export function decide(login: Login): string {
  const facts = factsOf(login);
  try {
    enforce(SOURCE_RULES, facts);
    enforce(TOKEN_RULES, facts);
    enforce(CLOUD_RULES, facts);
    return 'granted';
  } catch (error) {
    if (!(error instanceof AuthMethodError)) throw error;
    return error.rule ?? 'no rule';
  }
}

/** Everything that operators get to see of a rule that refuses. */
export interface Refused extends Refusal, Evidence {}

/** What the rule of that name says of a login; a refusal with what operators see beside it. */
export function ask(name: string, login: Login): 'passed' | 'not needed' | Refused {
  const rule = ruleOf(name);
  const facts = factsOf(login);
  const verdict = rule.check(facts);
  return typeof verdict === 'string' ? verdict : { ...verdict, ...rule.show(facts) };
}

/** The rule of that name. */
export function ruleOf(name: string): LoginRule<CloudFacts> {
  const rule = [...SOURCE_RULES, ...TOKEN_RULES, ...CLOUD_RULES].find((one) => one.name === name);
  if (rule === undefined) throw new Error(`no rule is called ${name}`);
  return rule;
}

/** A row of a rule's table: what is special about the login, the login, and what the rule says of it. */
export type Row = readonly [title: string, login: Login, verdict: 'passed' | 'not needed' | Refused];

/** The table of a rule. The title begins with the rule's name; what follows a colon tells several tables of one rule apart. */
export function table(title: string, rows: readonly Row[]): void {
  const [name = ''] = title.split(':');
  describe(title, () => {
    test.each<Row>(rows)('%s', (_, login, verdict) => {
      expect(ask(name, login)).toEqual(verdict);
    });
  });
}

/** A refusal: the sentence for the caller, and what operators see beside it. */
export function refusal(sentence: string, seen: string, wanted: string): Refused {
  return { sentence, seen, wanted };
}
