import type { Application, Endpoint, Simulator, VirtualMachine } from '../simulator/index.js';
import { startSimulator } from '../simulator/index.js';
import type { ListenAddress } from './listen-address.js';
import { addWorkloads } from './sample-workloads.js';
import type { SampleWorkload } from './sample-workloads.js';

/** A simulated machine and the address of the metadata service it sees. */
export interface SampleMachine {
  readonly machine: VirtualMachine;
  readonly metadata: Endpoint;
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

/** Starts a simulator with two machines and a workload of each other kind in it. */
export async function startSampleWorld(listen?: ListenAddress): Promise<SampleWorld> {
  const simulator = await startSimulator({ ...listen, resourceGroup: 'demo' });
  try {
    return await populate(simulator, listen);
  } catch (error) {
    await simulator.close();
    throw error;
  }
}

async function populate(simulator: Simulator, listen?: ListenAddress): Promise<SampleWorld> {
  const application = simulator.addApplication({});
  const identity = simulator.addUserAssignedIdentity({ name: 'batch-identity' });
  const add = async (machine: VirtualMachine): Promise<SampleMachine> => ({
    machine,
    metadata: await simulator.metadataService(machine, listen && { host: listen.host }),
  });
  const web = await add(simulator.addVirtualMachine({ name: 'web-1', systemAssigned: true }));
  const batch = await add(simulator.addVirtualMachine({ name: 'batch-1', userAssigned: [identity] }));
  return { simulator, application, web, batch, workloads: await addWorkloads(simulator, listen) };
}

/**
 * What one needs to know to use a sample world from outside, as lines of `name=value`. What a workload finds in its environment has
 * the workload's name before it.
 */
export function describeWorld({ simulator, application, web, batch, workloads }: SampleWorld): string {
  const facts = {
    SIMULATOR_URL: simulator.url,
    TENANT_ID: simulator.tenantId,
    RESOURCE: SAMPLE_RESOURCE,
    CLIENT_ID: application.clientId,
    CLIENT_SECRET: application.clientSecret,
    SUBSCRIPTION_ID: web.machine.subscriptionId,
    WEB_METADATA_URL: web.metadata.url,
    BATCH_METADATA_URL: batch.metadata.url,
    ...Object.fromEntries(workloads.flatMap(environmentFacts)),
  };
  return Object.entries(facts)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');
}

function environmentFacts({ variable, metadata }: SampleWorkload): [string, string][] {
  const { env = {}, keyDirectory } = metadata ?? {};
  const facts = { ...env, ...(keyDirectory !== undefined && { KEY_DIRECTORY: keyDirectory }) };
  return Object.entries(facts).map(([name, value]) => [`${variable}_${name}`, value]);
}
