import { Directory } from './directory.js';
import type { DirectoryOptions } from './directory.js';
import { createResource } from './generic-resources.js';
import type { ResourceOptions } from './generic-resources.js';
import type { Actor } from './identities.js';
import { ProviderTypes } from './provider-types.js';
import { ResourceRegistry } from './resources.js';
import type { Defaults, Resource } from './resources.js';
import { createInstance, createScaleSet } from './scale-sets.js';
import type { InstanceOptions, ScaleSet, ScaleSetOptions } from './scale-sets.js';
import { identityClaims, resourceClaims } from './tokens.js';
import type { ResourceTokenOptions, TokenOptions } from './tokens.js';
import { createUserAssignedIdentity } from './user-assigned-identities.js';
import type { UserAssignedIdentity, UserAssignedIdentityOptions } from './user-assigned-identities.js';
import { createVirtualMachine } from './virtual-machines.js';
import type { Machine, VirtualMachine, VirtualMachineChanges, VirtualMachineOptions } from './virtual-machines.js';

/** What a world starts from. */
export interface WorldOptions extends Defaults, DirectoryOptions {}

/** Everything that exists in the simulated cloud: resources, and what is in the directory. */
export class World extends Directory implements Defaults {
  readonly subscriptionId: string;
  readonly resourceGroup: string;
  readonly location: string;
  readonly resources: ResourceRegistry;
  readonly providerTypes = new ProviderTypes();
  readonly #machines = new Map<string, Machine>();
  #instances = 0;

  constructor(options: WorldOptions) {
    super(options);
    this.subscriptionId = options.subscriptionId;
    this.resourceGroup = options.resourceGroup;
    this.location = options.location;
    this.resources = new ResourceRegistry(options);
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
    const current = this.machine(machine);
    if (current === undefined) throw new Error(`there is no machine ${machine.id}`);
    return this.#putMachine(createVirtualMachine(changes, this, current));
  }

  /** Removes a machine: the resource manager and its metadata service no longer know it. */
  removeVirtualMachine(machine: VirtualMachine): void {
    this.removeResource(machine);
  }

  /** Adds a scale set without instances, replacing one of the same name in the same group. */
  addScaleSet(options: ScaleSetOptions = {}): ScaleSet {
    const scaleSet = createScaleSet(options, this);
    this.resources.put(scaleSet);
    return scaleSet;
  }

  /** Adds an instance with the identities that the scale set has. */
  addInstance(scaleSet: ScaleSet, options: InstanceOptions = {}): Machine {
    return this.#putMachine(createInstance(scaleSet, options, this.#instances++, this));
  }

  /** The machine as it is now, or the longest-standing one when none is given; `undefined` when it is gone. */
  machine(machine?: Machine): Machine | undefined {
    return machine ? this.actor(machine) : this.#machines.values().next().value;
  }

  /** A machine or other resource as it is now; `undefined` when it is gone. */
  actor<T extends Actor>(actor: T): T | undefined {
    // An id holds the type: what bears an actor's id is an actor of the same kind.
    return this.resources.find(actor.id) as T | undefined;
  }

  /** Adds an identity, attached to nothing yet, replacing one of the same name in the same group. */
  addUserAssignedIdentity(options: UserAssignedIdentityOptions = {}): UserAssignedIdentity {
    const identity = createUserAssignedIdentity(options, this);
    this.resources.put(identity);
    return identity;
  }

  /** Removes an identity; machines go on naming it until they are updated. */
  removeUserAssignedIdentity(identity: UserAssignedIdentity): void {
    this.removeResource(identity);
  }

  /**
   * Adds a resource of any type, replacing one of the same type and name in the same group. A new type gets API versions.
   * @throws Error when there are not as many names as types.
   */
  addResource(options: ResourceOptions): Actor {
    const resource = createResource(options, this);
    this.providerTypes.add(options.type);
    this.resources.put(resource);
    return resource;
  }

  /** Removes a resource of any kind and what is nested in it. */
  removeResource(resource: Resource): void {
    this.resources.remove(resource.id);
    for (const id of this.#machines.keys()) {
      if (this.resources.find(id) === undefined) this.#machines.delete(id);
    }
  }

  /** Changes which API versions a resource type has, newest first. */
  setApiVersions(type: string, versions: readonly string[]): void {
    this.providerTypes.set(type, versions);
  }

  override hasServicePrincipal(id: string): boolean {
    return super.hasServicePrincipal(id) || this.resources.hasPrincipal(id);
  }

  /**
   * The token that a machine or other resource would get from its metadata service.
   * Rejects when it has no such identity, or several and none is chosen.
   */
  async tokenFor(resource: Actor, options: ResourceTokenOptions): Promise<string> {
    return this.issueToken(resourceClaims(resource, options, this));
  }

  /** The token that a workload gets that acts as an identity without being a resource it is attached to: a federated pod. */
  identityToken(identity: UserAssignedIdentity, options: TokenOptions): Promise<string> {
    return this.issueToken(identityClaims(identity, options, this));
  }

  #putMachine<T extends Machine>(machine: T): T {
    this.#machines.set(machine.id.toLowerCase(), machine);
    this.resources.put(machine);
    return machine;
  }
}
