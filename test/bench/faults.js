import { createBackend } from '../../dist/index.js';
import { createHttpHost } from '../../dist/hosts/http/index.js';
import { startSimulator } from '../../dist/testing/index.js';
import { configOf, RESOURCE, SILENT } from './world.js';

// Hangs take half a minute each, so that many are measured side by side, each with a cloud and a server of its own.
const SIDE_BY_SIDE = 12;
const NOWHERE = 'https://127.0.0.1:1';
const MAX_BODY = 4 * 1024 * 1024;

const SERVICES = {
  discovery: { service: 'authority', path: /openid-configuration/ },
  'key set': { service: 'authority', path: /discovery\/keys/ },
  'token endpoint': { service: 'authority', path: /oauth2/ },
  'resource manager': { service: 'resource-manager', path: /virtualMachines/ },
  Graph: { service: 'graph', path: /checkMemberGroups/ },
};
const ALL = Object.keys(SERVICES);
const LOOKUPS = ['resource manager', 'Graph'];

const json = (code) => ({ error: { code, message: 'no' } });
const throttled = (wish) => ({ status: 429, headers: { 'retry-after': wish } });

/** Faults in the order of the table; those of some services only say of which. */
const FAULTS = [
  { name: '429, `Retry-After: 1`', fault: throttled('1') },
  { name: '429, `Retry-After: 45`', fault: throttled('45') },
  { name: '429 without `Retry-After`', fault: { status: 429 } },
  { name: '500', fault: { status: 500 } },
  { name: '503', fault: { status: 503 } },
  { name: 'connection reset', fault: { reset: true } },
  { name: 'not HTTP', fault: { garbage: true } },
  { name: 'port closed', refused: true, services: ['discovery', 'key set', ...LOOKUPS] },
  { name: 'hangs', fault: { hang: true } },
  { name: 'stalls within the body', fault: { stallBody: true, body: { id: 'x' } } },
  { name: 'empty 200', fault: { status: 200 } },
  { name: '200 of the wrong shape', fault: { body: { value: 'x' } } },
  { name: 'body over 4 MiB', fault: { body: 'x'.repeat(MAX_BODY + 1) } },
  { name: 'redirect', fault: { status: 302, headers: { location: NOWHERE } } },
  { name: '401', fault: { status: 401, body: json('InvalidAuthenticationToken') }, services: LOOKUPS },
  {
    name: '401 `invalid_client`',
    fault: { status: 401, body: { error: 'invalid_client' } },
    services: ['token endpoint'],
  },
  { name: '403', fault: { status: 403, body: json('AuthorizationFailed') }, services: LOOKUPS },
  { name: '503, once', fault: { status: 503, times: 1 } },
  { name: 'connection reset, once', fault: { reset: true, times: 1 } },
  { name: 'hangs, once', fault: { hang: true, times: 1 } },
  { name: '401, once', fault: { status: 401, times: 1 }, services: LOOKUPS },
];

/** A server that keeps the URLs of what it asks the cloud. */
async function startHost(cloud, application, role, changes) {
  const urls = [];
  const debug = (message, { url }) => message === 'provider request' && urls.push(url);
  const environments = [{ ...cloud.environment, ...changes }];
  const env = { AZURE_SDK_GO_LOGGING: 'all' };
  const host = await createHttpHost({
    factories: { cloud: (services) => createBackend(services, { environments, env }) },
    mounts: [{ path: 'cloud', type: 'cloud' }],
    rootToken: 'root',
    logger: { ...SILENT, debug },
  });
  const { url } = await host.listen();
  const post = (path, body) => {
    const headers = { 'x-service-token': 'root', 'content-type': 'application/json' };
    return fetch(`${url}/v1/auth/cloud/${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  };
  const { clientId, clientSecret } = application;
  await post('config', { ...configOf(cloud), client_id: clientId, client_secret: clientSecret });
  await post('role/web', role);
  return { urls, login: (body) => post('login', { role: 'web', ...body }), close: () => host.close() };
}

/** Breaks a service for a cloud and tells what must change in its environment. */
function breakService(cloud, service, { fault, refused }) {
  if (!refused) {
    cloud.fail({ ...fault, ...SERVICES[service] });
    return {};
  }
  if (service === 'discovery') return { authorityHost: NOWHERE };
  if (service === 'resource manager') return { resourceManagerEndpoint: NOWHERE };
  if (service === 'Graph') return { graphEndpoint: NOWHERE };
  const issuer = `https://sts.windows.net/${cloud.tenantId}/`;
  cloud.fail({ ...SERVICES.discovery, body: { issuer, jwks_uri: `${NOWHERE}/discovery/keys` } });
  return {};
}

/** One first login, with all settings as they are by default, while a service has a fault. */
async function measure(service, trouble) {
  const cloud = await startSimulator();
  const machine = cloud.addVirtualMachine({ name: 'web-1', systemAssigned: true });
  const group = cloud.addGroup({ members: [machine.systemAssigned] });
  const grouped = service === 'Graph';
  const role = grouped ? { bound_group_ids: [group.id] } : { bound_resource_groups: [cloud.resourceGroup] };
  const jwt = await cloud.tokenFor(machine, { resource: RESOURCE, ...(grouped && { groups: 'overage' }) });
  const changes = breakService(cloud, service, trouble);
  const host = await startHost(cloud, cloud.addApplication(), role, changes);

  const { subscriptionId: subscription_id, resourceGroup: resource_group_name, name: vm_name } = machine;
  const start = performance.now();
  const answer = await host.login({ jwt, subscription_id, resource_group_name, vm_name });
  const seconds = (performance.now() - start) / 1000;
  await answer.text();
  const attempts = host.urls.filter((url) => SERVICES[service].path.test(url)).length;
  await host.close();
  await cloud.close();
  return {
    fault: trouble.name,
    service,
    status: answer.status,
    retryAfter: answer.headers.get('retry-after'),
    attempts,
    seconds,
  };
}

/** Puts services in one row to which a fault did the same. */
function toRows(measurements) {
  const rows = new Map();
  for (const each of measurements) {
    const { fault, status, retryAfter, attempts } = each;
    const key = JSON.stringify([fault, status, retryAfter, attempts]);
    rows.set(key, [...(rows.get(key) ?? []), each]);
  }
  return [...rows.values()].map((same) => {
    const [{ fault, status, retryAfter, attempts }] = same;
    const times = same.map(({ seconds }) => seconds);
    const [least, most] = [Math.min(...times), Math.max(...times)].map((time) => time.toFixed(1));
    const services = same.length === ALL.length ? 'any' : same.map(({ service }) => service).join(', ');
    const time = least === most ? least : `${least} to ${most}`;
    return [fault, services, status, retryAfter === null ? '' : `${retryAfter} s`, `${time} s`, attempts];
  });
}

/** Prints the fault matrix: what a login gets while a service of the cloud fails, how long it takes, and what it costs the service. */
export async function benchFaults() {
  const cells = FAULTS.flatMap((trouble) => (trouble.services ?? ALL).map((service) => ({ service, trouble })));
  const measurements = [];
  let next = 0;
  const work = async () => {
    while (next < cells.length) {
      const index = next++;
      measurements[index] = await measure(cells[index].service, cells[index].trouble);
    }
  };
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, work));

  const titles = ['fault', 'of', 'status', '`Retry-After`', 'time', 'attempts'];
  const lines = [titles, titles.map(() => '---'), ...toRows(measurements)].map((cells) => `| ${cells.join(' | ')} |`);
  process.stdout.write(`${lines.join('\n')}\n`);
}
