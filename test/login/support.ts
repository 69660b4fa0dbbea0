import { AuthMethodError } from '../../src/contract/index.js';
import type { ConfirmedResource, IdentityClaims } from '../../src/contract/index.js';
import { provenResource } from '../../src/login/binding-rules.js';
import type { CloudFacts, LoginRequest } from '../../src/login/facts.js';
import { parseResourceId } from '../../src/login/resource-id.js';
import { enforce } from '../../src/login/rule.js';
import { CLOUD_RULES, SOURCE_RULES, TOKEN_RULES } from '../../src/login/rules.js';
import type { RoleValues } from '../../src/paths/role-fields.js';
import { constraintsOf } from '../../src/paths/role-record.js';

export const SUBSCRIPTION = '11111111-1111-1111-1111-11111111111a';
export const OTHER_SUBSCRIPTION = '11111111-1111-1111-1111-11111111111b';
export const OBJECT = 'aaaaaaaa-0000-0000-0000-000000000001';
export const OTHER_OBJECT = 'bbbbbbbb-0000-0000-0000-000000000002';

/** Resource id of a virtual machine. */
export function vm(name: string, group = 'rg', subscription = SUBSCRIPTION): string {
  return `/subscriptions/${subscription}/resourceGroups/${group}/providers/Microsoft.Compute/virtualMachines/${name}`;
}

/** Resource id of a user-assigned identity. */
export function userIdentity(name: string, group = 'rg', subscription = SUBSCRIPTION): string {
  return `/subscriptions/${subscription}/resourcegroups/${group}/providers/Microsoft.ManagedIdentity/userAssignedIdentities/${name}`;
}

/** The parts of a login that a test cares about. */
export interface Login {
  readonly role?: RoleValues;
  readonly address?: string;
  readonly request?: Partial<LoginRequest>;
  readonly claims?: Partial<IdentityClaims>;
  readonly confirmed?: ConfirmedResource;
  /** Object ids of attached user-assigned identities. */
  readonly users?: readonly string[];
}

/** Facts of a login; by default one of nobody in particular that names the virtual machine `web` in `rg`. */
export function factsOf({ role = {}, address, request, claims, confirmed, users = [] }: Login): CloudFacts {
  const identity: IdentityClaims = { objectId: OBJECT, groupOverage: false, expiresAt: 2_000_000_000, ...claims };
  return {
    role: constraintsOf(role),
    remoteAddress: address,
    request: {
      subscriptionId: SUBSCRIPTION,
      resourceGroup: 'rg',
      vmName: 'web',
      scaleSetName: '',
      resourceId: '',
      ...request,
    },
    claims: identity,
    proven: provenResource(identity, parseResourceId),
    confirmed,
    userPrincipalIds: new Set(users),
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

/** A row of a rule's table. `refuses` is the sentence for the caller, with what operators see after it. */
export type Row = readonly [title: string, login: Login, verdict: 'passed' | 'not needed' | Refused];

interface Refused {
  readonly sentence: string;
  readonly seen: string;
  readonly wanted: string;
  readonly field?: string;
}

/** A refusal as a rule gives it. */
export function refusal(sentence: string, seen: string, wanted: string, field?: string): Refused {
  return { sentence, seen, wanted, ...(field !== undefined && { field }) };
}
