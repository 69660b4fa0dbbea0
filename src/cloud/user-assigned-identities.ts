import type { ListedIdentity, ResourceGroupReference } from '../contract/index.js';
import { isRecord, isText } from './records.js';
import type { Session } from './session.js';

/** Pages of a list that are read at most. Links from page to page could go on for ever. */
const MAX_PAGES = 50;

/** Reads all user-assigned identities of a resource group (spec 1.7). */
export async function readUserAssignedIdentities(
  session: Session,
  { subscriptionId, resourceGroup }: ResourceGroupReference,
  signal: AbortSignal,
): Promise<readonly ListedIdentity[]> {
  const client = await session.identities(subscriptionId);
  const options = { abortSignal: signal, onResponse: requirePage };
  const pages = client.userAssignedIdentities.listByResourceGroup(resourceGroup, options).byPage();
  const identities: ListedIdentity[] = [];
  let count = 0;
  for await (const page of pages) {
    count += 1;
    if (count > MAX_PAGES) throw new Error('a list without end');
    for (const item of page) identities.push(listedIdentity(item));
  }
  return identities;
}

/** The SDK takes an answer that is no list for an empty one, which would read as a denial. */
function requirePage({ bodyAsText }: { readonly bodyAsText?: string | null }): void {
  const page: unknown = JSON.parse(bodyAsText ?? '');
  if (!isRecord(page) || !Array.isArray(page['value'])) throw new Error('a page without a list');
}

/** The SDK promises more than it checks. */
function listedIdentity(item: unknown): ListedIdentity {
  if (!isRecord(item) || !isText(item['id']) || !isText(item['location'])) {
    throw new Error('an identity without id or location');
  }
  const { id, location, clientId, principalId } = item;
  return { id, location, ...(isText(clientId) && { clientId }), ...(isText(principalId) && { principalId }) };
}
