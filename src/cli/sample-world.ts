import type { Application, Endpoint, Simulator, VirtualMachine } from '../simulator/index.js';
import { startSimulator } from '../simulator/index.js';
import type { ListenAddress } from './listen-address.js';

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
}

/** Audience that the samples use. */
export const SAMPLE_RESOURCE = 'https://secrets.example.com';

/** Starts a simulator with two machines in it. */
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
  return { simulator, application, web, batch };
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
