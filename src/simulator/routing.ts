import { isIP } from 'node:net';

/** The parts of the cloud that the simulator stands in for. */
export type Service = 'authority' | 'resource-manager' | 'graph' | 'metadata';

const HOSTS: Readonly<Record<Service, readonly string[]>> = {
  authority: [
    'login.microsoftonline.com',
    'sts.windows.net',
    'login.microsoftonline.us',
    'login.chinacloudapi.cn',
    'sts.chinacloudapi.cn',
    'login.microsoftonline.de',
    'sts.microsoftonline.de',
  ],
  'resource-manager': [
    'management.azure.com',
    'management.usgovcloudapi.net',
    'management.chinacloudapi.cn',
    'management.microsoftazure.de',
  ],
  graph: ['graph.microsoft.com', 'graph.microsoft.us', 'microsoftgraph.chinacloudapi.cn', 'graph.microsoft.de'],
  metadata: ['169.254.169.254'],
};

/** Tells services apart where the host name does not. The first match wins; what matches nothing is the authority's. */
const PATHS: readonly (readonly [RegExp, Service])[] = [
  // An SDK that puts a resource's id behind a slash sends two, which the resource manager bears with.
  [/^\/+(subscriptions|providers)(\/|$)/i, 'resource-manager'],
  [/^\/metadata(\/|$)/i, 'metadata'],
  [/^\/(v1\.0|beta)\//i, 'graph'],
];

/** All services. */
export const SERVICES = Object.keys(HOSTS) as readonly Service[];

/** Names and addresses under which the simulator can be reached, for its certificate. */
export const SERVER_NAMES: readonly string[] = ['localhost', '127.0.0.1', '::1', ...Object.values(HOSTS).flat()];

/** Audiences of the tokens for a service of any cloud. */
export function audiencesOf(service: Service): readonly string[] {
  return HOSTS[service].flatMap((host) => [`https://${host}`, `https://${host}/`]);
}

/**
 * The service that a request is for: by the provider's host name, or by path when the host is `localhost` or an address.
 * `undefined` for a name that the simulator does not stand in for. `host` is a `Host` header, with or without port.
 */
export function serviceFor(host: string, path: string): Service | undefined {
  const name = hostName(host);
  const service = SERVICES.find((candidate) => HOSTS[candidate].includes(name));
  if (service !== undefined) return service;
  if (name !== 'localhost' && isIP(name) === 0) return undefined;
  return PATHS.find(([pattern]) => pattern.test(path))?.[1] ?? 'authority';
}

function hostName(host: string): string {
  return host
    .toLowerCase()
    .replace(/:\d+$/, '')
    .replace(/^\[(.*)\]$/, '$1');
}
