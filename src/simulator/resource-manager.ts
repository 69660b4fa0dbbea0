import { verifyBearer } from './bearer.js';
import type { Caller } from './bearer.js';
import type { Answer, Handler, SimulatedRequest } from './exchange.js';
import { LOCATIONS } from './provider-types.js';
import { parseProviderPath, parseResourcePath } from './resource-path.js';
import type { ProviderTarget, ResourceTarget } from './resource-path.js';
import type { Resource } from './resources.js';
import { audiencesOf } from './routing.js';
import type { World } from './world.js';

const GUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;
const AUDIENCES = audiencesOf('resource-manager');

/**
 * Serves reads and lists of every registered resource, whatever its type, and what there is to know of resource types. Lists
 * come in pages of that many resources.
 */
export function createResourceManager(world: World, pageSize: number): Handler {
  return async (request) => {
    const refused = checkApiVersion(request.query.get('api-version'));
    if (refused !== undefined) return refused;
    const caller = await verifyBearer(request.headers.authorization, AUDIENCES, world);
    if ('code' in caller) return unauthorized(caller.code, caller.message, world.tenantId);
    const resource = parseResourcePath(request.path);
    const target = resource ?? parseProviderPath(request.path);
    if (target === undefined) return failure(404, 'InvalidRequestUri', 'The request uri is not one of a resource.');
    if (request.method !== 'GET') return failure(405, 'MethodNotAllowed', `${request.method} is not served here.`);
    const unknown = checkSubscription(target.subscriptionId, world);
    if (unknown !== undefined) return unknown;
    return resource === undefined
      ? serveProvider(target, caller, world)
      : serveResource(resource, request, caller, world, pageSize);
  };
}

function serveResource(
  target: ResourceTarget,
  request: SimulatedRequest,
  caller: Caller,
  world: World,
  pageSize: number,
): Answer {
  const { type, name, scope, container, id, resourceGroup } = target;
  const refused =
    checkPermission(`${type}/read`, name === '' ? container : id, caller, world) ??
    checkType(target, request.query.get('api-version') ?? '', world);
  if (refused !== undefined) return refused;
  if (!world.resources.hasScope(scope)) {
    return failure(404, 'ResourceGroupNotFound', `Resource group '${resourceGroup}' could not be found.`);
  }
  return name === '' ? list(target, request, world, pageSize) : read(target, world);
}

function serveProvider({ subscriptionId, namespace }: ProviderTarget, caller: Caller, world: World): Answer {
  const subscription = `/subscriptions/${subscriptionId}`;
  const refused = checkPermission('Microsoft.Resources/subscriptions/providers/read', subscription, caller, world);
  if (refused !== undefined) return refused;
  const types = world.providerTypes.inNamespace(namespace);
  const [first] = types;
  if (first === undefined) return unknownNamespace(namespace);
  const resourceTypes = types.map(({ resourceType, apiVersions }) => ({
    resourceType,
    locations: LOCATIONS,
    apiVersions,
    capabilities: 'CrossResourceGroupResourceMove, SupportsTags, SupportsLocation',
  }));
  const body = {
    id: `${subscription}/providers/${first.namespace}`,
    namespace: first.namespace,
    resourceTypes,
    registrationState: 'Registered',
    registrationPolicy: 'RegistrationRequired',
  };
  return { status: 200, body };
}

function checkApiVersion(version: string | null): Answer | undefined {
  if (!version) {
    const message = 'The api-version query parameter (?api-version=) is required for all requests.';
    return failure(400, 'MissingApiVersionParameter', message);
  }
  if (/^\d{4}-\d{2}-\d{2}(-preview)?$/.test(version)) return undefined;
  return failure(400, 'InvalidApiVersionParameter', `The api-version '${version}' is invalid.`);
}

function checkSubscription(subscriptionId: string, world: World): Answer | undefined {
  if (!GUID.test(subscriptionId)) {
    const message = `The provided subscription identifier '${subscriptionId}' is malformed or invalid.`;
    return failure(400, 'InvalidSubscriptionId', message);
  }
  if (world.resources.hasScope(`/subscriptions/${subscriptionId}`)) return undefined;
  return failure(404, 'SubscriptionNotFound', `The subscription '${subscriptionId}' could not be found.`);
}

function checkPermission(action: string, scope: string, caller: Caller, world: World): Answer | undefined {
  if (world.application(caller.clientId)?.mayRead(scope, action) !== false) return undefined;
  const message = `The client '${caller.clientId}' with object id '${caller.principalId}' does not have authorization to perform action '${action}' over scope '${scope}' or the scope is invalid. If access was recently granted, please refresh your credentials.`;
  return failure(403, 'AuthorizationFailed', message);
}

function checkType({ namespace, type }: ResourceTarget, version: string, world: World): Answer | undefined {
  const known = world.providerTypes.find(type);
  if (known === undefined) {
    if (world.providerTypes.inNamespace(namespace).length === 0) return unknownNamespace(namespace);
    const message = `The resource type '${type.slice(namespace.length + 1)}' could not be found in the namespace '${namespace}' for api version '${version}'.`;
    return failure(404, 'InvalidResourceType', message);
  }
  if (known.apiVersions.includes(version)) return undefined;
  const supported = `The supported api-versions are '${known.apiVersions.join(', ')}'. The supported locations are '${LOCATIONS.join(', ')}'.`;
  const message = `No registered resource provider found for location '${world.location}' and API version '${version}' for type '${known.resourceType}'. ${supported}`;
  return failure(400, 'NoRegisteredProviderFound', message);
}

function unknownNamespace(namespace: string): Answer {
  return failure(404, 'InvalidResourceNamespace', `The resource namespace '${namespace}' is invalid.`);
}

function read(target: ResourceTarget, world: World): Answer {
  const resource = world.resources.find(target.id);
  if (resource !== undefined) return { status: 200, body: toWire(resource) };
  const message = `The Resource '${target.type}/${target.name}' under resource group '${target.resourceGroup}' was not found. For more details please go to https://aka.ms/ARMResourceNotFoundFix`;
  return failure(404, 'ResourceNotFound', message);
}

function list(target: ResourceTarget, request: SimulatedRequest, world: World, pageSize: number): Answer {
  const start = Number(request.query.get('$skiptoken') ?? 0);
  if (!Number.isSafeInteger(start) || start < 0) {
    return failure(400, 'InvalidSkipToken', 'The skip token is not one that this list gave out.');
  }
  const all = world.resources.list(target.type, target.container);
  const end = start + pageSize;
  const value = all.slice(start, end).map(toWire);
  if (end >= all.length) return { status: 200, body: { value } };
  const next = new URL(request.baseUrl + request.path);
  next.searchParams.set('api-version', request.query.get('api-version') ?? '');
  next.searchParams.set('$skiptoken', String(end));
  return { status: 200, body: { value, nextLink: next.href } };
}

function toWire({ id, name, type, location, body }: Resource): Record<string, unknown> {
  return { id, name, type, location, ...body };
}

function unauthorized(code: string, message: string, tenantId: string): Answer {
  const challenge = `Bearer authorization_uri="https://login.windows.net/${tenantId}", error="invalid_token", error_description="${message.replaceAll('"', '')}"`;
  return { ...failure(401, code, message), headers: { 'www-authenticate': challenge } };
}

function failure(status: number, code: string, message: string): Answer {
  return { status, headers: { 'x-ms-failure-cause': 'gateway' }, body: { error: { code, message } } };
}
