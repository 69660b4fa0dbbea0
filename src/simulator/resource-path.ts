/** What a path below a subscription asks for: one resource, or with an empty name all of a type. */
export interface ResourceTarget {
  readonly subscriptionId: string;
  /** Empty for the whole subscription. */
  readonly resourceGroup: string;
  readonly namespace: string;
  /** Namespace and types. */
  readonly type: string;
  /** Name, or names when types are nested, with slashes between. */
  readonly name: string;
  /** Id of the subscription or group. */
  readonly scope: string;
  /** What a list lists in: the scope, or the resource that the type is nested in. */
  readonly container: string;
  readonly id: string;
}

/** What a path asks for that names a provider itself. */
export interface ProviderTarget {
  readonly subscriptionId: string;
  readonly namespace: string;
}

/** Reads `/subscriptions/{s}/providers/{namespace}`; `undefined` for other paths. */
export function parseProviderPath(path: string): ProviderTarget | undefined {
  const match = /^\/+subscriptions\/([^/]+)\/providers\/([^/]+)\/?$/i.exec(path);
  return match ? { subscriptionId: decode(match[1]), namespace: decode(match[2]) } : undefined;
}

/** Reads `/subscriptions/{s}[/resourceGroups/{g}]/providers/{namespace}/{type}[/{name}]`; `undefined` for other paths. */
export function parseResourcePath(path: string): ResourceTarget | undefined {
  // Decoded, these slashes would read as borders of segments.
  if (/%2f/i.test(path)) return undefined;
  const match = /^\/+subscriptions\/([^/]+)(?:\/resourceGroups\/([^/]+))?\/providers\/([^/]+)\/(.+?)\/?$/i.exec(path);
  if (match === null) return undefined;
  const [subscriptionId = '', resourceGroup = '', namespace = '', rest = ''] = match.slice(1).map(decode);
  const segments = rest.split('/');
  const type = [namespace, ...segments.filter((_, index) => index % 2 === 0)].join('/');
  const name = segments.length % 2 === 0 ? segments.filter((_, index) => index % 2 === 1).join('/') : '';
  const subscription = `/subscriptions/${subscriptionId}`;
  const scope = resourceGroup === '' ? subscription : `${subscription}/resourceGroups/${resourceGroup}`;
  const id = `${scope}/providers/${namespace}/${rest}`;
  const container = segments.length === 1 ? scope : id.slice(0, id.lastIndexOf('/'));
  return { subscriptionId, resourceGroup, namespace, type, name, scope, container, id };
}

function decode(text = ''): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
