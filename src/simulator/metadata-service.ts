import type { Answer, Handler, SimulatedRequest } from './exchange.js';
import type { Principal } from './resources.js';
import { MACHINE_TOKEN_LIFETIME, defaultIdentity } from './tokens.js';
import type { ResourceTokenOptions } from './tokens.js';
import type { Machine } from './virtual-machines.js';

/** What a metadata service knows of the simulated world. */
export interface MetadataWorld {
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
  /** The machine as it is now; `undefined` when it is gone. */
  machine(): Machine | undefined;
  tokenFor(machine: Machine, options: ResourceTokenOptions): Promise<string>;
}

const NEWEST_VERSIONS = ['2025-04-07', '2024-07-17', '2024-03-15'];
const VERSIONS: readonly string[] = [
  ...['2017-04-02', '2017-08-01', '2017-12-01', '2018-02-01', '2018-04-02', '2018-10-01', '2019-02-01', '2019-03-11'],
  ...['2019-04-30', '2019-06-01', '2019-06-04', '2019-08-01', '2019-08-15', '2019-11-01', '2020-06-01', '2020-07-15'],
  ...['2020-09-01', '2020-10-01', '2020-12-01', '2021-01-01', '2021-02-01', '2021-03-01', '2021-05-01', '2021-10-01'],
  ...['2021-11-01', '2021-11-15', '2021-12-13', '2023-07-01', '2023-11-15', ...NEWEST_VERSIONS],
];
const FIRST_IDENTITY_VERSION = '2018-02-01';

/** The metadata service that one machine sees. */
export function createMetadataService(world: MetadataWorld): Handler {
  return (request) => {
    const machine = world.machine();
    if (machine === undefined) return { status: 404, body: { error: 'Not found' } };
    switch (request.path.replace(/\/$/, '').toLowerCase()) {
      case '/metadata/instance':
        return instance(request, machine);
      case '/metadata/identity/oauth2/token':
        return token(request, machine, world);
      default:
        return { status: 404, body: { error: 'Not found' } };
    }
  };
}

/** Why the request is refused before it is looked at: a header that proxies add or clients must send, or a wrong method. */
function refusedHeader({ headers, method }: SimulatedRequest): string | undefined {
  if (method !== 'GET') return `Method ${method} not allowed`;
  if (headers['x-forwarded-for'] !== undefined) return 'X-Forwarded-For header is not allowed';
  return String(headers['metadata']).toLowerCase() === 'true' ? undefined : 'Required metadata header not specified';
}

function instance(request: SimulatedRequest, machine: Machine): Answer {
  const refused = refusedHeader(request);
  if (refused !== undefined) return { status: 400, body: { error: `Bad request. ${refused}` } };
  if (!VERSIONS.includes(request.query.get('api-version') ?? '')) return badVersion();
  if ((request.query.get('format') ?? 'json') !== 'json') {
    return { status: 400, body: { error: 'Bad request. Only format=json is available for this path' } };
  }
  return { status: 200, body: { compute: compute(machine), network: { interface: [] } } };
}

function compute({
  name,
  resourceGroup,
  subscriptionId,
  location,
  id,
  vmId,
  scaleSet,
}: Machine): Record<string, unknown> {
  return {
    azEnvironment: 'AzurePublicCloud',
    location,
    name,
    osType: 'Linux',
    provider: 'Microsoft.Compute',
    resourceGroupName: resourceGroup,
    resourceId: id,
    subscriptionId,
    tags: '',
    tagsList: [],
    vmId,
    vmScaleSetName: scaleSet?.name ?? '',
    vmSize: 'Standard_D2s_v5',
    zone: '',
  };
}

async function token(request: SimulatedRequest, machine: Machine, world: MetadataWorld): Promise<Answer> {
  const refused = refusedHeader(request);
  if (refused !== undefined) return refusal('invalid_request', refused);
  const version = request.query.get('api-version') ?? '';
  if (!VERSIONS.includes(version) || version < FIRST_IDENTITY_VERSION) return badVersion();
  const resource = request.query.get('resource');
  if (!resource) return refusal('invalid_request', "Required audience parameter not specified: 'resource'");
  const identity = chooseIdentity(request.query, machine);
  if (identity === 'none') return refusal('invalid_request', 'Identity not found');
  if (identity === 'many') {
    const text =
      'Multiple user assigned identities exist, please specify the clientId / resourceId of the identity in the token request';
    return refusal('invalid_request', text);
  }
  const accessToken = await world.tokenFor(machine, { identity, resource });
  const { clientId = '' } = (identity === 'system' ? machine.systemAssigned : identity) ?? {};
  const seconds = Math.floor(world.now() / 1000);
  return {
    status: 200,
    body: {
      access_token: accessToken,
      client_id: clientId,
      expires_in: String(MACHINE_TOKEN_LIFETIME - 1),
      expires_on: String(seconds + MACHINE_TOKEN_LIFETIME),
      ext_expires_in: String(MACHINE_TOKEN_LIFETIME - 1),
      not_before: String(seconds - 300),
      resource,
      token_type: 'Bearer',
    },
  };
}

function chooseIdentity(
  query: URLSearchParams,
  machine: Machine,
): NonNullable<ResourceTokenOptions['identity']> | 'none' | 'many' {
  const clientId = query.get('client_id')?.toLowerCase();
  const objectId = query.get('object_id')?.toLowerCase();
  const resourceId = (query.get('msi_res_id') ?? query.get('mi_res_id'))?.toLowerCase();
  if (clientId === undefined && objectId === undefined && resourceId === undefined) {
    return defaultIdentity(machine) ?? (machine.userAssigned.length > 1 ? 'many' : 'none');
  }
  const isChosen = (identity: Principal): boolean =>
    identity.clientId.toLowerCase() === clientId || identity.principalId.toLowerCase() === objectId;
  if (machine.systemAssigned && isChosen(machine.systemAssigned)) return 'system';
  const attached = machine.userAssigned.find((each) => isChosen(each) || each.id.toLowerCase() === resourceId);
  return attached ?? 'none';
}

function badVersion(): Answer {
  const error =
    'Bad request. api-version is invalid or was not specified in the request. For more information refer to aka.ms/azureimds';
  return { status: 400, body: { error, 'newest-versions': NEWEST_VERSIONS } };
}

function refusal(error: string, description: string): Answer {
  return { status: 400, body: { error, error_description: description } };
}
