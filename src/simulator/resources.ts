/** Where a resource is. Names keep the spelling they were made with; looking up ignores case, as the cloud does. */
export interface Resource {
  /** `/subscriptions/{guid}/resourceGroups/{group}/providers/{type}/{name}`. */
  readonly id: string;
  /** Namespace and type, for instance `Microsoft.Compute/virtualMachines`. */
  readonly type: string;
  readonly name: string;
  readonly subscriptionId: string;
  readonly resourceGroup: string;
  /** Region, for instance `westeurope`. */
  readonly location: string;
  /** Rest of what the resource manager answers, beside `id`, `name`, `type` and `location`. */
  readonly body: Readonly<Record<string, unknown>>;
}

/** Placement of a new resource; what is left out comes from the simulator's defaults. */
export interface Placement {
  readonly name?: string;
  readonly subscriptionId?: string;
  readonly resourceGroup?: string;
  readonly location?: string;
}

/** What the simulator fills in for resources that do not say. */
export interface Defaults {
  readonly tenantId: string;
  readonly subscriptionId: string;
  readonly resourceGroup: string;
  readonly location: string;
}

/** An identity of the directory that a resource can act as. */
export interface Principal {
  /** Object id in the directory: `oid` of its tokens. */
  readonly principalId: string;
  /** Application id: `appid` or `azp` of its tokens. */
  readonly clientId: string;
}

/** Gives a resource its full place and id. */
export function place(
  type: string,
  placement: Placement & { readonly name: string },
  defaults: Defaults,
): Omit<Resource, 'body'> {
  const { name } = placement;
  const subscriptionId = placement.subscriptionId ?? defaults.subscriptionId;
  const resourceGroup = placement.resourceGroup ?? defaults.resourceGroup;
  const location = placement.location ?? defaults.location;
  const id = `/subscriptions/${subscriptionId}/resourceGroups/${resourceGroup}/providers/${type}/${name}`;
  return { id, type, name, subscriptionId, resourceGroup, location };
}

/** All resources of all subscriptions. */
export class ResourceRegistry {
  readonly #resources = new Map<string, Resource>();
  readonly #scopes = new Set<string>();

  constructor(defaults: Defaults) {
    this.#addScopes(defaults);
  }

  /** Adds or replaces a resource. Its subscription and group exist from then on, even after it is removed. */
  put(resource: Resource): void {
    this.#addScopes(resource);
    this.#resources.set(resource.id.toLowerCase(), resource);
  }

  remove(id: string): void {
    this.#resources.delete(id.toLowerCase());
  }

  find(id: string): Resource | undefined {
    return this.#resources.get(id.toLowerCase());
  }

  /** Resources of a type below a subscription or group, given by id, in the order they were added. */
  list(type: string, scope: string): Resource[] {
    const prefix = `${scope.toLowerCase()}/`;
    return [...this.#resources]
      .filter(([id, resource]) => id.startsWith(prefix) && resource.type.toLowerCase() === type.toLowerCase())
      .map(([, resource]) => resource);
  }

  /** Whether a subscription or resource group, given by id, exists. */
  hasScope(id: string): boolean {
    return this.#scopes.has(id.toLowerCase());
  }

  #addScopes({ subscriptionId, resourceGroup }: Pick<Resource, 'subscriptionId' | 'resourceGroup'>): void {
    const subscription = `/subscriptions/${subscriptionId}`.toLowerCase();
    this.#scopes.add(subscription);
    this.#scopes.add(`${subscription}/resourcegroups/${resourceGroup.toLowerCase()}`);
  }
}
