import { CommandFailure } from '../command-failure.js';
import { member, parseUrl } from '../json-exchange.js';
import { readArcKey } from './arc-key.js';
import type { IdentitySource } from './identity-source.js';
import { askMetadata, bodyOf, textIn } from './metadata-call.js';

const HEADERS = { Metadata: 'true' };
const VERSION = '2020-06-01';
const LOOPBACK = /^(127\.\d+\.\d+\.\d+|\[::1\])$/;

/** The agent of an Arc machine: it gives tokens to those who can read the key files that it writes. */
export function arcMachine(identityEndpoint: string, imdsEndpoint: string, keyDirectory: string): IdentitySource {
  const tokenUrl = loopbackUrl('IDENTITY_ENDPOINT', identityEndpoint);
  const instanceUrl = new URL('/metadata/instance', loopbackUrl('IMDS_ENDPOINT', imdsEndpoint));
  return {
    async token({ resource, identity }) {
      const query = { 'api-version': VERSION, resource, ...(identity !== undefined && { client_id: identity }) };
      let answer = await askMetadata(tokenUrl, HEADERS, query);
      if (answer.status === 401) {
        const key = await readArcKey(answer.headers.get('www-authenticate'), keyDirectory);
        answer = await askMetadata(tokenUrl, { ...HEADERS, Authorization: `Basic ${key}` }, query);
      }
      const body = bodyOf(answer, tokenUrl);
      // Agents that know no user-assigned identities give a token of the machine's own without a word.
      if (identity !== undefined && textIn(body, 'client_id').toLowerCase() !== identity.toLowerCase()) {
        throw new CommandFailure('the metadata service gave a token of another identity than --identity names');
      }
      return textIn(body, 'access_token');
    },
    async names() {
      const body = bodyOf(await askMetadata(instanceUrl, HEADERS, { 'api-version': VERSION }), instanceUrl);
      const compute = member(body, 'compute');
      return {
        subscription_id: textIn(compute, 'subscriptionId'),
        resource_group_name: textIn(compute, 'resourceGroupName'),
        resource_id: textIn(compute, 'resourceId'),
      };
    },
  };
}

/** An agent is on the machine itself; keys go nowhere else, and not by way of the resolver. */
function loopbackUrl(variable: string, text: string): URL {
  const url = parseUrl(variable, text);
  if (url.hostname === 'localhost') url.hostname = '127.0.0.1';
  if (!LOOPBACK.test(url.hostname)) {
    throw new CommandFailure(
      `${variable}: got ${JSON.stringify(text)}; takes an address on this machine, as Arc sets it`,
    );
  }
  return url;
}
