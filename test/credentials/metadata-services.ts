import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Machine, Simulator } from '../../src/simulator/index.js';

/** Where a process gets tokens of the machine that it runs on. */
export interface MetadataService {
  /** What the process finds in its environment. */
  readonly env: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

type Start = (cloud: Simulator, machine: Machine) => Promise<MetadataService>;

async function startInstanceMetadata(cloud: Simulator, machine: Machine): Promise<MetadataService> {
  const endpoint = await cloud.metadataService(machine);
  return { env: { AZURE_POD_IDENTITY_AUTHORITY_HOST: endpoint.url }, close: () => endpoint.close() };
}

/** As App Service has it: a header of the process's environment says who asks. */
async function startAppService(cloud: Simulator, machine: Machine): Promise<MetadataService> {
  const secret = 'canary-identity-header';
  const server = createServer((request, response) => {
    const { searchParams } = new URL(request.url ?? '', 'http://127.0.0.1');
    const resource = searchParams.get('resource');
    if (request.headers['x-identity-header'] !== secret || resource === null) {
      response.writeHead(403).end(JSON.stringify({ statusCode: 403, message: `not ${secret}` }));
      return;
    }
    void cloud.tokenFor(machine, { resource }).then((token) => {
      const expiresOn = String(Math.floor(Date.now() / 1000) + 86_400);
      response.end(JSON.stringify({ access_token: token, expires_on: expiresOn, resource, token_type: 'Bearer' }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/msi/token`;
  return {
    env: { IDENTITY_ENDPOINT: url, IDENTITY_HEADER: secret },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** The kinds of metadata services. */
export const METADATA_SERVICES: readonly (readonly [string, Start])[] = [
  ['the instance metadata service', startInstanceMetadata],
  ['the metadata service of App Service', startAppService],
];
