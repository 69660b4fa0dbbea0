import type { Caller } from './bearer.js';
import type { Answer, SimulatedRequest } from './exchange.js';
import { badRequest, denied, methodNotServed, notFound, readJsonObject } from './graph-failure.js';
import type { World } from './world.js';

const GUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;
const MAX_GROUPS = 20;

/**
 * Which of the groups that the body names the object is in.
 * @throws GraphFailure when it cannot be told.
 */
export function checkMemberGroups(
  kind: string,
  id: string,
  request: SimulatedRequest,
  caller: Caller,
  world: World,
): Answer {
  if (request.method !== 'POST') throw methodNotServed(request.method);
  const groupIds = readGroupIds(request.body);
  if (world.application(caller.clientId)?.mayRead(`/${kind}/${id}`, 'checkMemberGroups') === false) throw denied();
  if (!exists(kind, id, world)) throw notFound(id);
  const memberOf = new Set([...world.groups.idsOf(id)].map((group) => group.toLowerCase()));
  const value = groupIds.filter((group) => memberOf.has(group.toLowerCase()));
  const context = `${request.baseUrl}/v1.0/$metadata#Collection(Edm.String)`;
  return { status: 200, body: { '@odata.context': context, value } };
}

function readGroupIds(body: string): string[] {
  const { groupIds } = readJsonObject(body);
  if (!Array.isArray(groupIds) || !groupIds.every((id) => typeof id === 'string')) {
    throw badRequest("The parameter 'groupIds' must be a collection of strings.");
  }
  if (groupIds.length > MAX_GROUPS) {
    throw badRequest(
      `The number of values for 'groupIds' exceeds the maximum allowed. It must be at most ${MAX_GROUPS}.`,
    );
  }
  const malformed = groupIds.find((id) => !GUID.test(id));
  if (malformed !== undefined) throw badRequest(`Invalid object identifier '${malformed}'.`);
  return groupIds;
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
