import { verifyBearer } from './bearer.js';
import type { Caller } from './bearer.js';
import type { Answer, Handler, SimulatedRequest } from './exchange.js';
import type { Resource } from './resources.js';
import type { World } from './world.js';

/** What a path asks for: one resource, or with an empty name all of a type below the scope. */
interface Target {
  readonly subscriptionId: string;
  /** Empty for the whole subscription. */
  readonly resourceGroup: string;
  readonly type: string;
  /** Name, or names when types are nested, with slashes between. */
  readonly name: string;
  /** Id of the subscription or group. */
  readonly scope: string;
  readonly id: string;
}

const GUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** Serves reads and lists of every registered resource, whatever its type; lists come in pages of that many resources. */
export function createResourceManager(world: World, pageSize: number): Handler {
  return async (request) => {
    const refused = checkApiVersion(request.query.get('api-version'));
    if (refused !== undefined) return refused;
    const caller = await verifyBearer(request.headers.authorization, world.signingKeys, world);
    if ('code' in caller) return unauthorized(caller.code, caller.message, world.tenantId);
    const target = parsePath(request.path);
    if (target === undefined) return failure(404, 'InvalidRequestUri', 'The request uri is not one of a resource.');
    if (request.method !== 'GET') return failure(405, 'MethodNotAllowed', `${request.method} is not served here.`);
    const outOfScope = checkScope(target, caller, world);
    if (outOfScope !== undefined) return outOfScope;
    return target.name === '' ? list(target, request, world, pageSize) : read(target, world);
  };
}

function checkApiVersion(version: string | null): Answer | undefined {
  if (!version) {
    const message = 'The api-version query parameter (?api-version=) is required for all requests.';
    return failure(400, 'MissingApiVersionParameter', message);
  }
  if (/^\d{4}-\d{2}-\d{2}(-preview)?$/.test(version)) return undefined;
  return failure(400, 'InvalidApiVersionParameter', `The api-version '${version}' is invalid.`);
}

/** `undefined` for paths that are not of the form `/subscriptions/{s}[/resourceGroups/{g}]/providers/{namespace}/{type}[/{name}]`. */
function parsePath(path: string): Target | undefined {
  // Decoded, these slashes would read as borders of segments.
  if (/%2f/i.test(path)) return undefined;
  const match = /^\/subscriptions\/([^/]+)(?:\/resourceGroups\/([^/]+))?\/providers\/([^/]+)\/(.+?)\/?$/i.exec(path);
  if (match === null) return undefined;
  const [subscriptionId = '', resourceGroup = '', namespace = '', rest = ''] = match
    .slice(1)
    .map((part: string | undefined) => decodeSegments(part ?? ''));
  const segments = rest.split('/');
  const type = [namespace, ...segments.filter((_, index) => index % 2 === 0)].join('/');
  const name = segments.length % 2 === 0 ? segments.filter((_, index) => index % 2 === 1).join('/') : '';
  const subscription = `/subscriptions/${subscriptionId}`;
  const scope = resourceGroup === '' ? subscription : `${subscription}/resourceGroups/${resourceGroup}`;
  return { subscriptionId, resourceGroup, type, name, scope, id: `${scope}/providers/${namespace}/${rest}` };
}

function decodeSegments(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function checkScope(target: Target, caller: Caller, world: World): Answer | undefined {
  const { subscriptionId, resourceGroup, type, name, scope, id } = target;
  if (!GUID.test(subscriptionId)) {
    const message = `The provided subscription identifier '${subscriptionId}' is malformed or invalid.`;
    return failure(400, 'InvalidSubscriptionId', message);
  }
  if (!world.resources.hasScope(`/subscriptions/${subscriptionId}`)) {
    return failure(404, 'SubscriptionNotFound', `The subscription '${subscriptionId}' could not be found.`);
  }
  const action = `${type}/read`;
  const asked = name === '' ? scope : id;
  if (world.application(caller.clientId)?.mayRead(asked, action) === false) {
    const message = `The client '${caller.clientId}' with object id '${caller.principalId}' does not have authorization to perform action '${action}' over scope '${asked}' or the scope is invalid. If access was recently granted, please refresh your credentials.`;
    return failure(403, 'AuthorizationFailed', message);
  }
  if (world.resources.hasScope(scope)) return undefined;
  return failure(404, 'ResourceGroupNotFound', `Resource group '${resourceGroup}' could not be found.`);
}

function read(target: Target, world: World): Answer {
  const resource = world.resources.find(target.id);
  if (resource !== undefined) return { status: 200, body: toWire(resource) };
  const message = `The Resource '${target.type}/${target.name}' under resource group '${target.resourceGroup}' was not found. For more details please go to https://aka.ms/ARMResourceNotFoundFix`;
  return failure(404, 'ResourceNotFound', message);
}

function list(target: Target, request: SimulatedRequest, world: World, pageSize: number): Answer {
  const start = Number(request.query.get('$skiptoken') ?? 0);
  if (!Number.isSafeInteger(start) || start < 0) {
    return failure(400, 'InvalidSkipToken', 'The skip token is not one that this list gave out.');
  }
  const all = world.resources.list(target.type, target.scope);
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
