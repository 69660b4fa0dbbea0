import type { ConfirmedResource, TypedResourceReference } from '../contract/index.js';
import { confirmedResource } from './confirmed-resource.js';
import { answeredCode } from './failures.js';
import type { Session } from './session.js';

/** How the resource manager says that a type has no such API version, or no longer. */
const REFUSED_VERSION = ['NoRegisteredProviderFound', 'InvalidApiVersionParameter', 'InvalidResourceType'];

/**
 * Reads any resource that can have identities (spec 1.7). `undefined` when its type is unknown. The API version that it was
 * read with last is taken again; when that is refused, the provider's list is fetched anew, once.
 */
export async function readResource(
  session: Session,
  resource: TypedResourceReference,
  signal: AbortSignal,
): Promise<ConfirmedResource | undefined> {
  const { namespace, type, path } = address(resource);
  const client = await session.resources(resource.subscriptionId);
  const read = async (version: string): Promise<ConfirmedResource> =>
    confirmedResource(await client.resources.getById(path, version, { abortSignal: signal }));

  const known = session.apiVersions.known(namespace, type);
  if (known !== undefined) {
    try {
      return await read(known);
    } catch (error) {
      if (!REFUSED_VERSION.includes(answeredCode(error) ?? '')) throw error;
    }
  }
  const provider = {
    // Not every subscription can be asked: one that cannot must not answer for another.
    name: resource.subscriptionId,
    source: (abortSignal: AbortSignal) => client.providers.get(namespace, { abortSignal }),
  };
  const version = await session.apiVersions.fetch(namespace, type, provider, signal);
  return version === undefined ? undefined : read(version);
}

/** The SDK encodes nothing in the id of a resource, and wants it without its first slash. */
function address({ subscriptionId, resourceGroup, type: fullType, names }: TypedResourceReference): {
  namespace: string;
  type: string;
  path: string;
} {
  const [namespace = '', ...types] = fullType.split('/');
  const chain = types.flatMap((type, index) => [type, names[index] ?? '']);
  const segments = ['subscriptions', subscriptionId, 'resourceGroups', resourceGroup, 'providers', namespace, ...chain];
  return { namespace, type: types.join('/'), path: segments.map(encodeURIComponent).join('/') };
}
