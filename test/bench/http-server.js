// One of the servers that http.js and stored-logins.js compare.
import { once } from 'node:events';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { createLocalJWKSet, jwtVerify } from 'jose';
import { createBackend } from '../../dist/index.js';
import { createHttpHost } from '../../dist/hosts/http/index.js';
import { FileStorage } from '../../dist/storage/index.js';
import { SILENT } from './world.js';

const [facts] = await once(process, 'message');
const { environment, tenantId, resource, principalId, keys, issuer, directory, tokenType = 'default' } = facts;

async function startHost() {
  const factory = (services) => createBackend(services, { environments: [environment] });
  const mounts = [{ path: 'cloud', type: 'cloud' }];
  const storage = directory && (await FileStorage.open({ directory, key: new Uint8Array(32).fill(7) }));
  const options = { factories: { cloud: factory }, mounts, rootToken: 'root', logger: SILENT };
  const host = await createHttpHost({ ...options, ...(storage && { storage }) });
  const { url } = await host.listen();
  const write = async (path, body) => {
    const headers = { 'x-service-token': 'root', 'content-type': 'application/json' };
    const answer = await fetch(`${url}/v1/auth/cloud/${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    if (answer.status !== 204) throw new Error(await answer.text());
  };
  await write('config', { tenant_id: tenantId, resource });
  const role = { bound_service_principal_ids: [principalId], token_policies: ['web'], token_type: tokenType };
  await write('role/web', role);
  return url;
}

async function startBare() {
  const keySet = createLocalJWKSet(keys);
  const app = new Hono();
  app.post('/login', async (context) => {
    const { jwt } = await context.req.json();
    const { payload } = await jwtVerify(jwt, keySet, { issuer, audience: resource, algorithms: ['RS256'] });
    return context.json({ oid: payload.oid });
  });
  return new Promise((resolve) => {
    serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => resolve(`http://127.0.0.1:${port}`));
  });
}

process.send({ url: await (process.argv[2] === 'host' ? startHost() : startBare()) });
