import type { Answer, Handler, SimulatedRequest } from '../exchange.js';
import type { Actor } from '../identities.js';
import type { ArcKeys } from './arc-keys.js';
import type { MetadataWorld } from './identity-tokens.js';
import { createInstanceMetadata } from './instance-metadata.js';

const VERSIONS: readonly string[] = ['2019-08-15', '2019-11-01', '2020-06-01', '2021-02-01'];

/** The metadata service that the agent of an Arc machine offers: callers prove that they may read a file of the machine. */
export function createArcMachine(world: MetadataWorld, keys: ArcKeys): Handler {
  return createInstanceMetadata(world, {
    versions: VERSIONS,
    compute: computeOfArcMachine,
    challenge: (request) => challenge(request, keys),
  });
}

function challenge({ headers }: SimulatedRequest, keys: ArcKeys): Answer | undefined {
  const [, secret] = /^Basic (.+)$/.exec(headers.authorization ?? '') ?? [];
  if (secret !== undefined && keys.redeem(secret)) return undefined;
  return {
    status: 401,
    headers: { 'www-authenticate': `Basic realm=${keys.issue()}` },
    body: { error: 'unauthorized_client', error_description: 'Missing or invalid Basic Authorization header' },
  };
}

function computeOfArcMachine({ name, resourceGroup, subscriptionId, location, id }: Actor): Record<string, unknown> {
  return {
    location,
    name,
    osType: 'Linux',
    provider: 'Microsoft.HybridCompute',
    resourceGroupName: resourceGroup,
    resourceId: id,
    subscriptionId,
    tags: '',
    tagsList: [],
  };
}
