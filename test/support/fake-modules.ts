import type {
  CloudConfiguration,
  CloudLookups,
  ConfirmedResource,
  ConfirmedScaleSet,
  IdentityClaims,
  ListedIdentity,
  ResourceGroupReference,
  ResourceReference,
  TokenValidator,
  TypedResourceReference,
} from '../../src/contract/index.js';

type Answer<T> = T | Error | ((signal: AbortSignal) => Promise<T>);

/** A validator that takes every token, and says what the test makes it say. */
export class FakeTokenValidator implements TokenValidator {
  readonly rules = ['token-shape', 'token-signature'];
  readonly calls: { readonly jwt: string; readonly configuration: CloudConfiguration; readonly signal: AbortSignal }[] =
    [];
  closed = 0;

  constructor(public answer: Answer<IdentityClaims>) {}

  validate(jwt: string, configuration: CloudConfiguration, signal: AbortSignal): Promise<IdentityClaims> {
    this.calls.push({ jwt, configuration, signal });
    return give(this.answer, signal);
  }

  close(): Promise<void> {
    this.closed += 1;
    return Promise.resolve();
  }
}

/**
 * A cloud that knows at most one virtual machine, one scale set and one other resource, whatever it is asked for, identities
 * by their names, lists of identities by their resource groups, and one set of groups.
 */
export class FakeCloudLookups implements CloudLookups {
  machine: Answer<ConfirmedResource | undefined>;
  identities: Readonly<Record<string, Answer<string | undefined>>> = {};
  scaleSetAnswer: Answer<ConfirmedScaleSet | undefined>;
  resourceAnswer: Answer<ConfirmedResource | undefined>;
  identityLists: Readonly<Record<string, Answer<readonly ListedIdentity[] | undefined>>> = {};
  groups: Answer<readonly string[]> = [];
  readonly machineCalls: ResourceReference[] = [];
  readonly identityCalls: ResourceReference[] = [];
  readonly scaleSetCalls: ResourceReference[] = [];
  readonly resourceCalls: TypedResourceReference[] = [];
  readonly identityListCalls: ResourceGroupReference[] = [];
  readonly groupCalls: { readonly objectId: string; readonly groupIds: readonly string[] }[] = [];
  readonly configurations: CloudConfiguration[] = [];
  closed = 0;

  virtualMachine(
    machine: ResourceReference,
    configuration: CloudConfiguration,
    signal: AbortSignal,
  ): Promise<ConfirmedResource | undefined> {
    this.machineCalls.push(machine);
    this.configurations.push(configuration);
    return give(this.machine, signal);
  }

  userAssignedIdentity(
    identity: ResourceReference,
    configuration: CloudConfiguration,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    this.identityCalls.push(identity);
    this.configurations.push(configuration);
    return give(this.identities[identity.name], signal);
  }

  scaleSet(
    scaleSet: ResourceReference,
    configuration: CloudConfiguration,
    signal: AbortSignal,
  ): Promise<ConfirmedScaleSet | undefined> {
    this.scaleSetCalls.push(scaleSet);
    this.configurations.push(configuration);
    return give(this.scaleSetAnswer, signal);
  }

  resource(
    resource: TypedResourceReference,
    configuration: CloudConfiguration,
    signal: AbortSignal,
  ): Promise<ConfirmedResource | undefined> {
    this.resourceCalls.push(resource);
    this.configurations.push(configuration);
    return give(this.resourceAnswer, signal);
  }

  userAssignedIdentities(
    group: ResourceGroupReference,
    configuration: CloudConfiguration,
    signal: AbortSignal,
  ): Promise<readonly ListedIdentity[] | undefined> {
    this.identityListCalls.push(group);
    this.configurations.push(configuration);
    return give(this.identityLists[group.resourceGroup], signal);
  }

  memberGroups(
    objectId: string,
    groupIds: readonly string[],
    configuration: CloudConfiguration,
    signal: AbortSignal,
  ): Promise<readonly string[]> {
    this.groupCalls.push({ objectId, groupIds });
    this.configurations.push(configuration);
    return give(this.groups, signal);
  }

  close(): Promise<void> {
    this.closed += 1;
    return Promise.resolve();
  }
}

function give<T>(answer: Answer<T>, signal: AbortSignal): Promise<T> {
  if (answer instanceof Error) return Promise.reject(answer);
  return typeof answer === 'function'
    ? (answer as (signal: AbortSignal) => Promise<T>)(signal)
    : Promise.resolve(answer);
}
