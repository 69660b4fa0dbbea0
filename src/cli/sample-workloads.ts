import type { Actor, MetadataService, Simulator } from '../simulator/index.js';
import { findIdentitySource } from './identity/find-identity-source.js';
import type { IdentitySource } from './identity/identity-source.js';
import type { ListenAddress } from './listen-address.js';

/** A workload of another kind than a virtual machine. */
export interface SampleWorkload {
  /** What it is, for a sentence. */
  readonly description: string;
  /** Its name, fit for a part of the names of shell variables. */
  readonly variable: string;
  /** How the command `login` learns who it is. */
  readonly source: IdentitySource;
  /** Absent for a federated pod, which has none. */
  readonly metadata?: MetadataService;
}

/** Adds one workload of each further kind, with the metadata service that it sees. */
export async function addWorkloads(simulator: Simulator, listen?: ListenAddress): Promise<SampleWorkload[]> {
  const start = async (
    variable: string,
    description: string,
    actor: Actor,
    host = listen?.host,
  ): Promise<Required<SampleWorkload>> => {
    const metadata = await simulator.metadataService(actor, host === undefined ? {} : { host });
    return { variable, description, metadata, source: findIdentitySource(metadata, metadata.env) };
  };
  const resource = (type: string, name: string, kind?: string): Actor =>
    simulator.addResource({ type, name, systemAssigned: true, ...(kind !== undefined && { kind }) });

  const frontend = simulator.addInstance(simulator.addScaleSet({ name: 'frontend', systemAssigned: true }));
  const worker = simulator.addInstance(
    simulator.addScaleSet({
      name: 'workers',
      orchestration: 'flexible',
      userAssigned: [simulator.addUserAssignedIdentity({ name: 'workers-identity' })],
    }),
  );
  const shop = resource('Microsoft.Web/sites', 'shop', 'app');
  const orders = resource('Microsoft.Web/sites', 'orders', 'functionapp');
  const report = resource('Microsoft.ContainerInstance/containerGroups', 'report');
  const factory = resource('Microsoft.HybridCompute/machines', 'factory');
  return [
    await start('FRONTEND', `the instance ${frontend.name} of a uniform scale set`, frontend),
    await start('WORKER', `the machine ${worker.name} of a flexible scale set`, worker),
    await start('SHOP', 'the web app shop', shop),
    await start('ORDERS', 'the function app orders', orders),
    withNames(await start('REPORT', 'the container group report', report), report),
    // Its agent listens on the machine itself, wherever the rest does.
    await start('FACTORY', 'the Arc machine factory', factory, '127.0.0.1'),
    addPod(simulator),
  ];
}

/** For a workload whose metadata service does not know what it is: the user says so. */
function withNames(workload: SampleWorkload, { id, subscriptionId, resourceGroup }: Actor): SampleWorkload {
  const names = { subscription_id: subscriptionId, resource_group_name: resourceGroup, resource_id: id };
  const { source } = workload;
  return { ...workload, source: { token: (request) => source.token(request), names: () => Promise.resolve(names) } };
}

/** A pod proves an identity and no resource. */
function addPod(simulator: Simulator): SampleWorkload {
  const identity = simulator.addUserAssignedIdentity({ name: 'pod-identity' });
  const names = { subscription_id: identity.subscriptionId, resource_group_name: identity.resourceGroup };
  return {
    variable: 'POD',
    description: `a federated pod with the identity ${identity.name}`,
    source: {
      token: ({ resource }) => simulator.identityToken(identity, { resource }),
      names: () => Promise.resolve(names),
    },
  };
}
