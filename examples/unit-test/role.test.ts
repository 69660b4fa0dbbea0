// How to unit-test a role: the method in a memory host, against a simulated cloud.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createBackend } from 'cloud-identity-auth';
import { createMemoryHost } from 'cloud-identity-auth/hosts/memory';
import type { MemoryHost } from 'cloud-identity-auth/hosts/memory';
import { startSimulator } from 'cloud-identity-auth/testing';
import type { Simulator, VirtualMachine } from 'cloud-identity-auth/testing';

const RESOURCE = 'https://secrets.example.com';

// The role under test, as it would stand in your repository.
const ROLE = {
  bound_resource_groups: ['shop'],
  bound_locations: ['westeurope'],
  token_policies: ['shop-read'],
  token_ttl: '15m',
};

describe('the role "shop"', () => {
  let cloud: Simulator;
  let host: MemoryHost;

  beforeAll(async () => {
    cloud = await startSimulator();
    const { environment, tenantId } = cloud;
    const { clientId, clientSecret } = cloud.addApplication({});
    host = await createMemoryHost({ factory: (services) => createBackend(services, { environments: [environment] }) });
    await host.write('config', {
      tenant_id: tenantId,
      resource: RESOURCE,
      client_id: clientId,
      client_secret: clientSecret,
    });
    await host.write('role/shop', ROLE);
  });

  afterAll(async () => {
    await host.close();
    await cloud.close();
  });

  async function logIn(machine: VirtualMachine): ReturnType<MemoryHost['login']> {
    return host.login({
      role: 'shop',
      jwt: await cloud.tokenFor(machine, { resource: RESOURCE }),
      subscription_id: machine.subscriptionId,
      resource_group_name: machine.resourceGroup,
      vm_name: machine.name,
    });
  }

  test('lets a machine of the shop in', async () => {
    const machine = cloud.addVirtualMachine({ name: 'till-1', resourceGroup: 'shop', systemAssigned: true });
    const auth = await logIn(machine);
    expect(auth.policies).toEqual(['default', 'shop-read']);
    expect(auth.leaseDuration).toBe(900);
  });

  test('keeps a machine of another group out', async () => {
    const machine = cloud.addVirtualMachine({ name: 'till-1', resourceGroup: 'warehouse', systemAssigned: true });
    await expect(logIn(machine)).rejects.toThrow('bound_resource_groups');
  });

  test('keeps a machine of the shop in another region out', async () => {
    const machine = cloud.addVirtualMachine({
      name: 'till-2',
      resourceGroup: 'shop',
      location: 'eastus',
      systemAssigned: true,
    });
    await expect(logIn(machine)).rejects.toThrow('bound_locations');
  });
});
