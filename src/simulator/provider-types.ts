/** A resource type and the API versions that read it. */
export interface ProviderType {
  readonly namespace: string;
  /** Types of the chain with slashes between, for instance `sites/slots`. */
  readonly resourceType: string;
  /** Newest first, as the resource manager lists them. */
  readonly apiVersions: readonly string[];
}

const COMPUTE = ['2026-03-01', '2025-11-01', '2025-04-01', '2024-11-01', '2024-07-01', '2024-03-01', '2023-09-01'];
const WEB = ['2025-03-01', '2024-11-01', '2024-04-01', '2023-12-01', '2022-03-01'];
const OTHERS = ['2025-06-01-preview', '2025-01-01', '2024-01-01'];

const KNOWN: Readonly<Record<string, readonly string[]>> = {
  'Microsoft.Compute/virtualMachines': COMPUTE,
  'Microsoft.Compute/virtualMachineScaleSets': COMPUTE,
  'Microsoft.Compute/virtualMachineScaleSets/virtualMachines': COMPUTE,
  'Microsoft.ManagedIdentity/userAssignedIdentities': [
    '2025-01-31-preview',
    '2024-11-30',
    '2023-07-31-preview',
    '2023-01-31',
    '2018-11-30',
  ],
  'Microsoft.Web/sites': WEB,
  'Microsoft.Web/sites/slots': WEB,
  // Here the previews are newer than all stable versions.
  'Microsoft.ContainerInstance/containerGroups': [
    '2024-11-01-preview',
    '2024-05-01-preview',
    '2023-05-01',
    '2022-09-01',
  ],
  'Microsoft.HybridCompute/machines': ['2025-02-19-preview', '2025-01-13', '2024-11-10-preview', '2024-07-10'],
};

/** Locations that every type is to be had in. */
export const LOCATIONS: readonly string[] = ['West Europe', 'North Europe', 'East US', 'East US 2'];

/** The resource providers: which types there are and in which API versions. Looking up ignores case. */
export class ProviderTypes {
  readonly #types = new Map<string, ProviderType>();

  constructor() {
    for (const [type, apiVersions] of Object.entries(KNOWN)) this.set(type, apiVersions);
  }

  /** Gives a type its API versions. */
  set(type: string, apiVersions: readonly string[]): void {
    const [namespace = '', ...types] = type.split('/');
    this.#types.set(type.toLowerCase(), { namespace, resourceType: types.join('/'), apiVersions });
  }

  /** Makes sure that there is such a type, with made-up API versions if it is new. */
  add(type: string): void {
    if (this.find(type) === undefined) this.set(type, OTHERS);
  }

  find(type: string): ProviderType | undefined {
    return this.#types.get(type.toLowerCase());
  }

  /** All types of a namespace; none when there is no such namespace. */
  inNamespace(namespace: string): ProviderType[] {
    return [...this.#types.values()].filter((type) => type.namespace.toLowerCase() === namespace.toLowerCase());
  }
}
