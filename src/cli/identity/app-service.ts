import { CommandFailure } from '../command-failure.js';
import type { Environment, IdentitySource } from './identity-source.js';
import { askMetadata, bodyOf, textIn } from './metadata-call.js';

const VERSION = '2019-08-01';

/** The token endpoint of web apps, functions and container apps; the secret shows that the caller is not a page that they serve. */
export function appService(endpoint: URL, secret: string, env: Environment): IdentitySource {
  return {
    async token({ resource, identity }) {
      const query = { 'api-version': VERSION, resource, ...(identity !== undefined && { client_id: identity }) };
      const answer = await askMetadata(endpoint, { 'X-IDENTITY-HEADER': secret }, query);
      return textIn(bodyOf(answer, endpoint), 'access_token');
    },
    names: () => new Promise((resolve) => resolve(appNames(env))),
  };
}

/** App Service tells its apps where they are in variables that they cannot change. */
function appNames(env: Environment): Record<string, string> {
  const [subscription] = (env['WEBSITE_OWNER_NAME'] ?? '').split('+');
  const group = env['WEBSITE_RESOURCE_GROUP'];
  const site = env['WEBSITE_SITE_NAME'];
  if (!subscription || !group || !site) {
    throw new CommandFailure(
      'WEBSITE_OWNER_NAME, WEBSITE_RESOURCE_GROUP and WEBSITE_SITE_NAME do not say which app this is: leave out ' +
        '--vm and name it with --field subscription_id=..., resource_group_name=... and resource_id=...',
    );
  }
  const slot = env['WEBSITE_SLOT_NAME'] ?? '';
  const inSlot = slot === '' || slot.toLowerCase() === 'production' ? '' : `/slots/${slot}`;
  return {
    subscription_id: subscription,
    resource_group_name: group,
    resource_id: `/subscriptions/${subscription}/resourceGroups/${group}/providers/Microsoft.Web/sites/${site}${inSlot}`,
  };
}
