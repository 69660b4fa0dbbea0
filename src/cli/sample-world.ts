import type { Application, Endpoint, Simulator, VirtualMachine } from '../simulator/index.js';
import { startSimulator } from '../simulator/index.js';
import type { ListenAddress } from './listen-address.js';

/** A simulated machine and the address of the metadata service it sees. */
export interface SampleMachine {
  readonly machine: VirtualMachine;
  readonly metadata: Endpoint;
}

/** A workload of another kind than a virtual machine. */
export interface SampleWorkload {
  /** What it is, for a sentence. */
  readonly description: string;
  /** Name of a shell variable for its identity token. */
  readonly variable: string;
  /** Fields of the login that name it. */
  readonly names: Readonly<Record<string, string>>;
  /** Gets it a new identity token. */
  readonly fetchToken: () => Promise<string>;
}

/** A small simulated cloud to try things in. */
export interface SampleWorld {
  readonly simulator: Simulator;
  /** Application with the credentials that the secrets server uses. */
  readonly application: Application;
  /** Has a system-assigned identity. */
  readonly web: SampleMachine;
  /** Has a user-assigned identity. */
  readonly batch: SampleMachine;
  /** One of each further kind. */
  readonly workloads: readonly SampleWorkload[];
}

/** Audience that the samples use. */
export const SAMPLE_RESOURCE = 'https://secrets.example.com';

/** Starts a simulator with two machines and some other workloads in it. */
export async function startSampleWorld(listen?: ListenAddress): Promise<SampleWorld> {
  const simulator = await startSimulator({ ...listen, resourceGroup: 'demo' });
  const application = simulator.addApplication({});
  const identity = simulator.addUserAssignedIdentity({ name: 'batch-identity' });
  const add = async (machine: VirtualMachine): Promise<SampleMachine> => ({
    machine,
    metadata: await simulator.metadataService(machine, listen && { host: listen.host }),
  });
  const web = await add(simulator.addVirtualMachine({ name: 'web-1', systemAssigned: true }));
  const batch = await add(simulator.addVirtualMachine({ name: 'batch-1', userAssigned: [identity] }));
  return { simulator, application, web, batch, workloads: addWorkloads(simulator) };
}

function addWorkloads(simulator: Simulator): SampleWorkload[] {
  const options = { resource: SAMPLE_RESOURCE };
  const frontend = simulator.addInstance(simulator.addScaleSet({ name: 'frontend', systemAssigned: true }));
  const userAssigned = [simulator.addUserAssignedIdentity({ name: 'workers-identity' })];
  const workers = simulator.addScaleSet({ name: 'workers', orchestration: 'flexible', userAssigned });
  const worker = simulator.addInstance(workers);
  const shop = simulator.addResource({ type: 'Microsoft.Web/sites', name: 'shop', kind: 'app', systemAssigned: true });
  const podIdentity = simulator.addUserAssignedIdentity({ name: 'pod-identity' });
  return [
    {
      description: `the instance ${frontend.name} of a scale set`,
      variable: 'JWT_FRONTEND',
      names: { vmss_name: 'frontend' },
      fetchToken: () => simulator.tokenFor(frontend, options),
    },
    {
      description: `the machine ${worker.name} of a scale set with flexible orchestration`,
      variable: 'JWT_WORKER',
      names: { vmss_name: workers.name },
      fetchToken: () => simulator.tokenFor(worker, options),
    },
    {
      description: `the web app ${shop.name}`,
      variable: 'JWT_SHOP',
      names: { resource_id: shop.id },
      fetchToken: () => simulator.tokenFor(shop, options),
    },
    {
      description: `a federated pod with the identity ${podIdentity.name}`,
      variable: 'JWT_POD',
      names: {},
      fetchToken: () => simulator.identityToken(podIdentity, options),
    },
  ];
}

/** What one needs to know to use a sample world from outside, as lines of `name=value`. */
export function describeWorld({ simulator, application, web, batch }: SampleWorld): string {
  const facts = {
    SIMULATOR_URL: simulator.url,
    TENANT_ID: simulator.tenantId,
    RESOURCE: SAMPLE_RESOURCE,
    CLIENT_ID: application.clientId,
    CLIENT_SECRET: application.clientSecret,
    SUBSCRIPTION_ID: web.machine.subscriptionId,
    WEB_METADATA_URL: web.metadata.url,
    BATCH_METADATA_URL: batch.metadata.url,
  };
  return Object.entries(facts)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');
}
