import { createLocalJWKSet } from 'jose';
import { Agent, request } from 'undici';
import { startSimulator } from '../../dist/testing/index.js';

export const RESOURCE = 'https://secrets.example.com';

/** A simulated cloud with one machine, and tokens of it that all differ. */
export async function startWorld(count) {
  const cloud = await startSimulator();
  const machine = cloud.addVirtualMachine({ name: 'web-1', systemAssigned: true });
  const tokens = [];
  for (let made = 0; made < count; made += 100) {
    tokens.push(
      ...(await Promise.all(Array.from({ length: 100 }, () => cloud.tokenFor(machine, { resource: RESOURCE })))),
    );
  }
  return { cloud, machine, tokens, issuer: `https://sts.windows.net/${cloud.tenantId}/` };
}

/** The tenant's keys as a local set of jose. */
export async function localKeys(cloud) {
  const dispatcher = new Agent({ connect: { ca: cloud.caPem } });
  const { body } = await request(`${cloud.url}/${cloud.tenantId}/discovery/keys`, { dispatcher });
  const keys = await body.json();
  await dispatcher.close();
  return { keys, keySet: createLocalJWKSet(keys) };
}

/** Configuration of the method for the simulated cloud. */
export function configOf(cloud) {
  return { tenant_id: cloud.tenantId, resource: RESOURCE };
}

/** A role that is decided by the token alone. */
export function roleOf(machine) {
  return { bound_service_principal_ids: [machine.systemAssigned.principalId], token_policies: ['web'] };
}

export const SILENT = { trace() {}, debug() {}, info() {}, warn() {}, error() {} };
