import { verifyBearer } from './bearer.js';
import type { Caller } from './bearer.js';
import type { Answer, Handler, SimulatedRequest } from './exchange.js';
import { answerApplications } from './graph-applications.js';
import { GraphFailure, failureAnswer } from './graph-failure.js';
import { checkMemberGroups } from './graph-groups.js';
import { audiencesOf } from './routing.js';
import type { World } from './world.js';

const MEMBER_GROUPS =
  /^(servicePrincipals|directoryObjects|users)\/([^/]+)\/(?:microsoft\.graph\.)?checkMemberGroups$/i;
const APPLICATIONS =
  /^applications(?:\(appId='([^']*)'\)|\/([^/]+))?(?:\/(?:microsoft\.graph\.)?(addPassword|removePassword))?$/i;

/** The directory's Graph: which groups somebody is in, and applications with their passwords. */
export function createGraph(world: World): Handler {
  // Graph's own application id is an audience too, and so is the name that the simulator itself has.
  const audiences = [
    ...audiencesOf('graph'),
    '00000003-0000-0000-c000-000000000000',
    world.authorityHost,
    `${world.authorityHost}/`,
  ];
  return async (request) => {
    try {
      const caller = await verifyBearer(request.headers.authorization, audiences, world);
      if ('code' in caller) throw new GraphFailure(401, 'InvalidAuthenticationToken', caller.message);
      return serve(request, caller, world);
    } catch (error) {
      if (error instanceof GraphFailure) return failureAnswer(error, world.now());
      throw error;
    }
  };
}

function serve(request: SimulatedRequest, caller: Caller, world: World): Answer {
  const path = decoded(request.path).replace(/^\/(v1\.0|beta)\//i, '');
  const member = MEMBER_GROUPS.exec(path);
  if (member) return checkMemberGroups(member[1] ?? '', member[2] ?? '', request, caller, world);
  const target = APPLICATIONS.exec(path);
  if (target) {
    const [, clientId, objectId, action] = target;
    return answerApplications({ clientId, objectId, action: action?.toLowerCase() }, request, caller, world);
  }
  throw new GraphFailure(400, 'BadRequest', `Resource not found for the segment '${path.split('/').at(-1) ?? ''}'.`);
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    throw new GraphFailure(400, 'BadRequest', 'The path is not well encoded.');
  }
}
