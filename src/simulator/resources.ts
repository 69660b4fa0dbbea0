/** Where a resource is. Names keep the spelling they were made with; looking up ignores case, as the cloud does. */
export interface Resource {
  /** `/subscriptions/{guid}/resourceGroups/{group}/providers/{namespace}/{type}/{name}`, with further pairs of type and name. */
  readonly id: string;
  /** Namespace and type, for instance `Microsoft.Compute/virtualMachines`. */
  readonly type: string;
  /** A nested type has a name for each level, with slashes between. */
  readonly name: string;
  readonly subscriptionId: string;
  readonly resourceGroup: string;
  /** Region, for instance `westeurope`. */
  readonly location: string;
  /** Object ids of the principals that the directory has because of it. */
  readonly principalIds: readonly string[];
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

/** What makes a resource findable. */
export type Place = Omit<Resource, 'body' | 'principalIds'>;

/**
 * Gives a resource its full place and id.
 * @throws Error when there are not as many names as types.
 */
export function place(type: string, placement: Placement & { readonly name: string }, defaults: Defaults): Place {
  const { name } = placement;
  const [namespace, ...types] = type.split('/');
  const names = name.split('/');
  if (names.length !== types.length) throw new Error(`${type} takes ${types.length} names and not '${name}'`);
  const path = types.map((each, level) => `${each}/${names[level]}`).join('/');
  const subscriptionId = placement.subscriptionId ?? defaults.subscriptionId;
  const resourceGroup = placement.resourceGroup ?? defaults.resourceGroup;
  const location = placement.location ?? defaults.location;
  const id = `/subscriptions/${subscriptionId}/resourceGroups/${resourceGroup}/providers/${namespace}/${path}`;
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

  /** Removes a resource and what is nested in it. */
  remove(id: string): void {
    const key = id.toLowerCase();
    for (const other of this.#resources.keys()) {
      if (other === key || other.startsWith(`${key}/`)) this.#resources.delete(other);
    }
  }

  find(id: string): Resource | undefined {
    return this.#resources.get(id.toLowerCase());
  }

  /** Resources of a type below a subscription, group or resource, given by id, in the order they were added. */
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

  /** Whether there is a resource that the directory has this principal for. */
  hasPrincipal(principalId: string): boolean {
    return [...this.#resources.values()].some(({ principalIds }) =>
      principalIds.some((id) => id.toLowerCase() === principalId.toLowerCase()),
    );
  }

  #addScopes({ subscriptionId, resourceGroup }: Pick<Resource, 'subscriptionId' | 'resourceGroup'>): void {
    const subscription = `/subscriptions/${subscriptionId}`.toLowerCase();
    this.#scopes.add(subscription);
    this.#scopes.add(`${subscription}/resourcegroups/${resourceGroup.toLowerCase()}`);
  }
}
