import { createApplication } from './applications.js';
import type { Application, ApplicationOptions } from './applications.js';
import { ResourceRegistry } from './resources.js';
import type { Defaults } from './resources.js';
import type { SigningKey, SigningKeys } from './signing-keys.js';
import { machineClaims } from './tokens.js';
import type { Claims, IssueContext, MachineTokenOptions } from './tokens.js';
import { createUserAssignedIdentity } from './user-assigned-identities.js';
import type { UserAssignedIdentity, UserAssignedIdentityOptions } from './user-assigned-identities.js';
import { createVirtualMachine } from './virtual-machines.js';
import type { Machine, VirtualMachine, VirtualMachineChanges, VirtualMachineOptions } from './virtual-machines.js';

/** What a world starts from. */
export interface WorldOptions extends Defaults, IssueContext {
  readonly keys: SigningKeys;
}

/** Everything that exists in the simulated cloud: resources, applications and the directory's signing keys. */
export class World implements Defaults, IssueContext {
  readonly tenantId: string;
  readonly subscriptionId: string;
  readonly resourceGroup: string;
  readonly location: string;
  readonly authorityHost: string;
  readonly now: () => number;
  readonly resources: ResourceRegistry;
  readonly #keys: SigningKeys;
  readonly #applications = new Map<string, Application>();
  readonly #machines = new Map<string, VirtualMachine>();

  constructor(options: WorldOptions) {
    this.tenantId = options.tenantId;
    this.subscriptionId = options.subscriptionId;
    this.resourceGroup = options.resourceGroup;
    this.location = options.location;
    this.authorityHost = options.authorityHost;
    this.now = options.now;
    this.resources = new ResourceRegistry(options);
    this.#keys = options.keys;
  }

  /** Adds a machine, replacing one of the same name in the same group. */
  addVirtualMachine(options: VirtualMachineOptions = {}): VirtualMachine {
    return this.#putMachine(createVirtualMachine(options, this));
  }

  /**
   * Changes a machine and keeps its ids. Turning `systemAssigned` off and on again gives new ones, as in the cloud.
   * @throws Error when it was removed.
   */
  updateVirtualMachine(machine: VirtualMachine, changes: VirtualMachineChanges): VirtualMachine {
    const current = this.#machines.get(machine.id.toLowerCase());
    if (current === undefined) throw new Error(`there is no machine ${machine.id}`);
    return this.#putMachine(createVirtualMachine(changes, this, current));
  }

  /** Removes a machine: the resource manager and its metadata service no longer know it. */
  removeVirtualMachine(machine: VirtualMachine): void {
    this.#machines.delete(machine.id.toLowerCase());
    this.resources.remove(machine.id);
  }

  /** The machine as it is now, or the longest-standing one when none is given; `undefined` when it is gone. */
  machine(machine?: Machine): VirtualMachine | undefined {
    return machine ? this.#machines.get(machine.id.toLowerCase()) : this.#machines.values().next().value;
  }

  /** Adds an identity, attached to nothing yet, replacing one of the same name in the same group. */
  addUserAssignedIdentity(options: UserAssignedIdentityOptions = {}): UserAssignedIdentity {
    const identity = createUserAssignedIdentity(options, this);
    this.resources.put(identity);
    return identity;
  }

  /** Removes an identity; machines go on naming it until they are updated. */
  removeUserAssignedIdentity(identity: UserAssignedIdentity): void {
    this.resources.remove(identity.id);
  }

  /** Registers an application, replacing one with the same client id. */
  addApplication(options: ApplicationOptions = {}): Application {
    const application = createApplication(options);
    this.#applications.set(application.clientId.toLowerCase(), application);
    return application;
  }

  /** Removes an application; tokens that it has stay good until they expire. */
  removeApplication(application: Application): void {
    this.#applications.delete(application.clientId.toLowerCase());
  }

  /** The application with that client id, when there is one. */
  application(clientId: string): Application | undefined {
    return this.#applications.get(clientId.toLowerCase());
  }

  /** The key that signs, then older ones that are still published. */
  get signingKeys(): readonly SigningKey[] {
    return this.#keys.published;
  }

  /** Signs with a new key from now on. The old ones stay published until {@link retireOldKeys}. */
  rolloverKeys(): Promise<SigningKey> {
    return this.#keys.rollover();
  }

  /** Takes all keys but the newest out of the key sets. */
  retireOldKeys(): void {
    this.#keys.retireOld();
  }

  /** Signs these claims and no others, however odd. Header members are added or replaced, `alg` and its key aside. */
  issueToken(claims: Readonly<Claims>, header?: Readonly<Record<string, unknown>>): Promise<string> {
    return this.#keys.sign(claims, header);
  }

  /**
   * The token that a machine's metadata service would hand out.
   * Rejects when the machine has no such identity, or several and none is chosen.
   */
  async tokenFor(machine: Machine, options: MachineTokenOptions): Promise<string> {
    return this.issueToken(machineClaims(machine, options, this));
  }

  #putMachine(machine: VirtualMachine): VirtualMachine {
    this.#machines.set(machine.id.toLowerCase(), machine);
    this.resources.put(machine);
    return machine;
  }
}
