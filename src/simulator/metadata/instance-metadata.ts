import type { Answer, Handler, SimulatedRequest } from '../exchange.js';
import type { Actor } from '../identities.js';
import { MACHINE_TOKEN_LIFETIME, defaultIdentity } from '../tokens.js';
import type { Machine } from '../virtual-machines.js';
import { giveToken, namedIdentity, namesIdentity } from './identity-tokens.js';
import type { MetadataWorld } from './identity-tokens.js';

/** What sets the metadata services of this protocol apart. */
export interface InstanceMetadataProfile {
  /** API versions of its paths. */
  readonly versions: readonly string[];
  /** What it says of the resource; `undefined` when it knows nothing but identities. */
  readonly compute: (actor: Actor) => Readonly<Record<string, unknown>> | undefined;
  /** Refuses a request for a token that is well-formed. */
  readonly challenge?: (request: SimulatedRequest) => Answer | undefined;
}

const VERSIONS: readonly string[] = [
  ...['2017-04-02', '2017-08-01', '2017-12-01', '2018-02-01', '2018-04-02', '2018-10-01', '2019-02-01', '2019-03-11'],
  ...['2019-04-30', '2019-06-01', '2019-06-04', '2019-08-01', '2019-08-15', '2019-11-01', '2020-06-01', '2020-07-15'],
  ...['2020-09-01', '2020-10-01', '2020-12-01', '2021-01-01', '2021-02-01', '2021-03-01', '2021-05-01', '2021-10-01'],
  ...['2021-11-01', '2021-11-15', '2021-12-13', '2023-07-01', '2023-11-15', '2024-03-15', '2024-07-17', '2025-04-07'],
];
const FIRST_IDENTITY_VERSION = '2018-02-01';

/** Machines of the cloud, and container groups, which learn nothing of themselves. */
export const CLOUD_PROFILE: InstanceMetadataProfile = { versions: VERSIONS, compute: computeOfMachine };

/** The instance metadata service, as one resource sees it. */
export function createInstanceMetadata(world: MetadataWorld, profile = CLOUD_PROFILE): Handler {
  return (request) => {
    const actor = world.actor();
    if (actor === undefined) return notFound();
    switch (request.path.replace(/\/$/, '').toLowerCase()) {
      case '/metadata/instance':
        return instance(request, profile.compute(actor), profile.versions);
      case '/metadata/identity/oauth2/token':
        return token(request, actor, world, profile);
      default:
        return notFound();
    }
  };
}

function computeOfMachine(actor: Actor): Readonly<Record<string, unknown>> | undefined {
  if (!isMachine(actor)) return undefined;
  const { name, resourceGroup, subscriptionId, location, id, vmId, scaleSet } = actor;
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

function isMachine(actor: Actor): actor is Machine {
  return 'vmId' in actor;
}

/** Why the request is refused before it is looked at: a header that proxies add or clients must send, or a wrong method. */
function refusedHeader({ headers, method }: SimulatedRequest): string | undefined {
  if (method !== 'GET') return `Method ${method} not allowed`;
  if (headers['x-forwarded-for'] !== undefined) return 'X-Forwarded-For header is not allowed';
  return String(headers['metadata']).toLowerCase() === 'true' ? undefined : 'Required metadata header not specified';
}

function instance(
  request: SimulatedRequest,
  compute: ReturnType<InstanceMetadataProfile['compute']>,
  versions: readonly string[],
): Answer {
  if (compute === undefined) return notFound();
  const refused = refusedHeader(request);
  if (refused !== undefined) return { status: 400, body: { error: `Bad request. ${refused}` } };
  if (!versions.includes(request.query.get('api-version') ?? '')) return badVersion(versions);
  if ((request.query.get('format') ?? 'json') !== 'json') {
    return { status: 400, body: { error: 'Bad request. Only format=json is available for this path' } };
  }
  return { status: 200, body: { compute, network: { interface: [] } } };
}

async function token(
  request: SimulatedRequest,
  actor: Actor,
  world: MetadataWorld,
  { versions, challenge }: InstanceMetadataProfile,
): Promise<Answer> {
  const { query } = request;
  const refused = refusedHeader(request);
  if (refused !== undefined) return refusal(refused);
  const version = query.get('api-version') ?? '';
  if (!versions.includes(version) || version < FIRST_IDENTITY_VERSION) return badVersion(versions);
  const resource = query.get('resource');
  if (!resource) return refusal("Required audience parameter not specified: 'resource'");
  const challenged = challenge?.(request);
  if (challenged !== undefined) return challenged;

  const objectId = query.get('object_id');
  const resourceId = query.get('msi_res_id') ?? query.get('mi_res_id');
  const name = { clientId: query.get('client_id'), principalId: objectId, resourceId };
  const isNamed = namesIdentity(name);
  const identity = isNamed ? namedIdentity(actor, name) : defaultIdentity(actor);
  if (identity === undefined) return noIdentity(!isNamed && actor.userAssigned.length > 1);
  const lifetime = String(MACHINE_TOKEN_LIFETIME - 1);
  return {
    status: 200,
    body: {
      ...(await giveToken(world, actor, identity, resource)),
      expires_in: lifetime,
      ext_expires_in: lifetime,
      not_before: String(Math.floor(world.now() / 1000) - 300),
      // How the request named the identity is said again, which shows that the name was heeded.
      ...(objectId !== null && { object_id: objectId }),
      ...(resourceId !== null && { msi_res_id: resourceId }),
    },
  };
}

function notFound(): Answer {
  return { status: 404, body: { error: 'Not found' } };
}

function badVersion(versions: readonly string[]): Answer {
  const error =
    'Bad request. api-version is invalid or was not specified in the request. For more information refer to aka.ms/azureimds';
  return { status: 400, body: { error, 'newest-versions': versions.slice(-3).reverse() } };
}

function noIdentity(mustChoose: boolean): Answer {
  return refusal(
    mustChoose
      ? 'Multiple user assigned identities exist, please specify the clientId / resourceId of the identity in the token request'
      : 'Identity not found',
  );
}

function refusal(description: string): Answer {
  return { status: 400, body: { error: 'invalid_request', error_description: description } };
}
