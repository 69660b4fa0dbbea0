import { randomUUID } from 'node:crypto';
import { verifyBearer } from './bearer.js';
import type { Answer, Handler } from './exchange.js';
import { audiencesOf } from './routing.js';
import type { World } from './world.js';

const GUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;
const MAX_GROUPS = 20;

/** The directory's Graph, as far as it is asked which groups somebody is in. */
export function createGraph(world: World): Handler {
  // Graph's own application id is an audience too, and so is the name that the simulator itself has.
  const audiences = [
    ...audiencesOf('graph'),
    '00000003-0000-0000-c000-000000000000',
    world.authorityHost,
    `${world.authorityHost}/`,
  ];
  return async (request) => {
    const caller = await verifyBearer(request.headers.authorization, audiences, world);
    if ('code' in caller) return failure(world, 401, 'InvalidAuthenticationToken', caller.message);
    const [, kind = '', id = ''] =
      /^\/(?:v1\.0|beta)\/(servicePrincipals|directoryObjects|users)\/([^/]+)\/(?:microsoft\.graph\.)?checkMemberGroups$/i.exec(
        request.path,
      ) ?? [];
    if (kind === '') {
      return failure(world, 400, 'BadRequest', `Resource not found for the segment '${lastSegment(request.path)}'.`);
    }
    if (request.method !== 'POST') {
      return failure(world, 405, 'Request_BadRequest', `${request.method} is not served here.`);
    }
    const groupIds = readGroupIds(request.body);
    if (typeof groupIds === 'string') return failure(world, 400, 'Request_BadRequest', groupIds);
    if (world.application(caller.clientId)?.mayRead(`/${kind}/${id}`, 'checkMemberGroups') === false) {
      const message = 'Insufficient privileges to complete the operation.';
      return failure(world, 403, 'Authorization_RequestDenied', message);
    }
    if (!exists(kind, id, world)) {
      const message = `Resource '${id}' does not exist or one of its queried reference-property objects are not present.`;
      return failure(world, 404, 'Request_ResourceNotFound', message);
    }
    const memberOf = new Set([...world.groups.idsOf(id)].map((group) => group.toLowerCase()));
    const value = groupIds.filter((group) => memberOf.has(group.toLowerCase()));
    const context = `${request.baseUrl}/v1.0/$metadata#Collection(Edm.String)`;
    return { status: 200, body: { '@odata.context': context, value } };
  };
}

/** The groups that are asked for, or what is wrong with the body. */
function readGroupIds(body: string): string[] | string {
  let groupIds: unknown;
  try {
    ({ groupIds } = JSON.parse(body) as { groupIds?: unknown });
  } catch {
    return 'Unable to read JSON request payload. Please ensure Content-Type header is set and payload is of valid JSON format.';
  }
  if (!Array.isArray(groupIds) || !groupIds.every((id) => typeof id === 'string')) {
    return "The parameter 'groupIds' must be a collection of strings.";
  }
  if (groupIds.length > MAX_GROUPS) {
    return `The number of values for 'groupIds' exceeds the maximum allowed. It must be at most ${MAX_GROUPS}.`;
  }
  const malformed = groupIds.find((id) => !GUID.test(id));
  return malformed === undefined ? groupIds : `Invalid object identifier '${malformed}'.`;
}

/** Members of groups that are nothing else here count as users, and so do not need to be made. */
function exists(kind: string, id: string, world: World): boolean {
  const isServicePrincipal = world.hasServicePrincipal(id);
  switch (kind.toLowerCase()) {
    case 'serviceprincipals':
      return isServicePrincipal;
    case 'users':
      return !isServicePrincipal && world.groups.hasMember(id);
    default:
      return isServicePrincipal || world.groups.hasMember(id);
  }
}

function lastSegment(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function failure(world: World, status: number, code: string, message: string): Answer {
  const requestId = randomUUID();
  const date = new Date(world.now()).toISOString().slice(0, 19);
  const innerError = { date, 'request-id': requestId, 'client-request-id': requestId };
  return { status, headers: { 'request-id': requestId }, body: { error: { code, message, innerError } } };
}
