import type { Answer, Handler } from '../exchange.js';
import type { Actor } from '../identities.js';
import { giveToken, namedIdentity, namesIdentity } from './identity-tokens.js';
import type { MetadataWorld } from './identity-tokens.js';

/** Path of the token endpoint. */
export const APP_SERVICE_PATH = '/msi/token';

const VERSION = '2019-08-01';

/** The token endpoint of a web app, function or container app: whoever calls must know the secret of its environment. */
export function createAppService(world: MetadataWorld, secret: string): Handler {
  return async ({ method, path, query, headers }) => {
    const actor = world.actor();
    if (actor === undefined || path.replace(/\/$/, '').toLowerCase() !== APP_SERVICE_PATH) {
      return refusal(404, 'Not found');
    }
    if (method !== 'GET') return refusal(405, `Method ${method} not allowed`);
    if (headers['x-identity-header'] !== secret) return refusal(401, 'The X-IDENTITY-HEADER is missing or wrong');
    if (query.get('api-version') !== VERSION) return refusal(400, 'The api-version is missing or unsupported');
    const resource = query.get('resource');
    if (!resource) return refusal(400, "The parameter 'resource' is missing");

    const name = {
      clientId: query.get('client_id'),
      principalId: query.get('principal_id') ?? query.get('object_id'),
      resourceId: query.get('mi_res_id'),
    };
    // Unlike instance metadata it never takes a user-assigned identity that was not asked for.
    const identity = namesIdentity(name) ? namedIdentity(actor, name) : actor.systemAssigned && 'system';
    if (identity === undefined) {
      const what =
        'No User Assigned or Delegated Managed Identity found for specified ClientId/ResourceId/PrincipalId.';
      return refusal(400, namesIdentity(name) ? what : 'Unable to load the proper Managed Identity.');
    }
    return { status: 200, body: await giveToken(world, actor, identity, resource) };
  };
}

/** What an app finds in its environment, beside its endpoint, of where it is. */
export function appServiceNames({
  type,
  name,
  subscriptionId,
  resourceGroup,
  location,
}: Actor): Record<string, string> {
  if (!/^Microsoft\.Web\//i.test(type)) return {};
  const [site = '', slot = 'Production'] = name.split('/');
  return {
    WEBSITE_OWNER_NAME: `${subscriptionId}+${resourceGroup}-${location}webspace-Linux`,
    WEBSITE_RESOURCE_GROUP: resourceGroup,
    WEBSITE_SITE_NAME: site,
    WEBSITE_SLOT_NAME: slot,
  };
}

function refusal(statusCode: number, message: string): Answer {
  return { status: statusCode, body: { statusCode, message } };
}
