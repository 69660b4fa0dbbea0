import { CommandFailure } from '../command-failure.js';
import { member } from '../json-exchange.js';
import type { IdentitySource } from './identity-source.js';
import { askMetadata, bodyOf, textIn } from './metadata-call.js';

const HEADERS = { Metadata: 'true' };
const TOKEN_VERSION = '2018-02-01';
const INSTANCE_VERSION = '2021-12-13';
const HINT = '; is this a cloud machine? --metadata-url names another address';

/** The instance metadata service of virtual machines, scale sets and container groups. */
export function instanceMetadata(base: URL): IdentitySource {
  const tokenUrl = below(base, 'metadata/identity/oauth2/token');
  const instanceUrl = below(base, 'metadata/instance');
  return {
    async token({ resource, identity }) {
      const query = { 'api-version': TOKEN_VERSION, resource, ...(identity !== undefined && { client_id: identity }) };
      return textIn(bodyOf(await askMetadata(tokenUrl, HEADERS, query, HINT), tokenUrl), 'access_token');
    },
    async names() {
      const answer = await askMetadata(instanceUrl, HEADERS, { 'api-version': INSTANCE_VERSION }, HINT);
      if (answer.status === 404) {
        throw new CommandFailure(
          'the metadata service does not know which machine this is: leave out --vm and name it with ' +
            '--field subscription_id=..., resource_group_name=... and resource_id=...',
        );
      }
      return machineNames(member(bodyOf(answer, instanceUrl), 'compute'));
    },
  };
}

function machineNames(compute: unknown): Record<string, string> {
  const scaleSet = member(compute, 'vmScaleSetName');
  const isInstance = typeof scaleSet === 'string' && scaleSet !== '';
  return {
    subscription_id: textIn(compute, 'subscriptionId'),
    resource_group_name: textIn(compute, 'resourceGroupName'),
    ...(isInstance ? { vmss_name: scaleSet } : { vm_name: textIn(compute, 'name') }),
  };
}

function below(base: URL, path: string): URL {
  return new URL(path, `${base.href.replace(/\/$/, '')}/`);
}
