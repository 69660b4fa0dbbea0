import type {
  CloudConfiguration,
  CloudLookups,
  ConfirmedResource,
  IdentityClaims,
  ResourceReference,
  TokenValidator,
} from '../../src/contract/index.js';

type Answer<T> = T | Error | ((signal: AbortSignal) => Promise<T>);

/** A validator that takes every token, and says what the test makes it say. */
export class FakeTokenValidator implements TokenValidator {
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

/** A cloud that knows one virtual machine at most, whatever it is asked for, and identities by their names. */
export class FakeCloudLookups implements CloudLookups {
  machine: Answer<ConfirmedResource | undefined>;
  identities: Readonly<Record<string, Answer<string | undefined>>> = {};
  readonly machineCalls: ResourceReference[] = [];
  readonly identityCalls: ResourceReference[] = [];
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
