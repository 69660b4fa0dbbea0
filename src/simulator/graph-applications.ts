import type { Application } from './applications.js';
import type { Caller } from './bearer.js';
import type { Answer, SimulatedRequest } from './exchange.js';
import { GraphFailure, badRequest, denied, methodNotServed, notFound, readJsonObject } from './graph-failure.js';
import { hintOf } from './passwords.js';
import type { Password, PasswordOptions } from './passwords.js';
import type { World } from './world.js';

/** Which application, and what to do to it; all applications when neither id is given. */
export interface ApplicationTarget {
  readonly clientId: string | undefined;
  readonly objectId: string | undefined;
  /** `addpassword`, `removepassword`, or nothing to read. */
  readonly action: string | undefined;
}

type GraphObject = Record<string, unknown>;

/**
 * Reads applications, or adds and removes passwords of one.
 * @throws GraphFailure when it cannot or must not be done.
 */
export function answerApplications(
  target: ApplicationTarget,
  request: SimulatedRequest,
  caller: Caller,
  world: World,
): Answer {
  const { method, baseUrl, query, body } = request;
  if (method !== (target.action === undefined ? 'GET' : 'POST')) throw methodNotServed(method);
  const metadata = (what: string): GraphObject => ({ '@odata.context': `${baseUrl}/v1.0/$metadata#${what}` });
  if (target.clientId === undefined && target.objectId === undefined) {
    if (target.action !== undefined) throw new GraphFailure(400, 'BadRequest', 'An action needs an application.');
    requireRead(caller, '/applications', world);
    const value = filtered(world.applications, query.get('$filter')).map((each) => read(each, query.get('$select')));
    return { status: 200, body: { ...metadata('applications'), value } };
  }

  const application = find(target, world);
  const id = target.clientId ?? target.objectId ?? '';
  if (target.action === undefined) {
    requireRead(caller, `/applications/${application?.objectId ?? id}`, world);
    if (application === undefined) throw notFound(id);
    return { status: 200, body: { ...metadata('applications/$entity'), ...read(application, query.get('$select')) } };
  }
  if (world.application(caller.clientId)?.mayManage(application?.clientId ?? id) !== true) throw denied();
  if (application === undefined) throw notFound(id);
  if (target.action === 'addpassword') {
    const added = addPassword(application, body, world.now());
    return { status: 200, body: { ...metadata('microsoft.graph.passwordCredential'), ...added } };
  }
  removePassword(application, body);
  return { status: 204 };
}

function requireRead({ clientId }: Caller, scope: string, world: World): void {
  if (world.application(clientId)?.mayRead(scope, 'read') === false) throw denied();
}

function find({ clientId, objectId }: ApplicationTarget, world: World): Application | undefined {
  if (clientId !== undefined) return world.application(clientId);
  const wanted = objectId?.toLowerCase();
  return world.applications.find((application) => application.objectId.toLowerCase() === wanted);
}

function filtered(applications: readonly Application[], filter: string | null): readonly Application[] {
  if (filter === null) return applications;
  const clientId = /^appId eq '([^']*)'$/i.exec(filter.trim())?.[1];
  if (clientId === undefined) {
    throw new GraphFailure(400, 'Request_UnsupportedQuery', 'Unsupported or invalid query filter clause specified.');
  }
  return applications.filter((application) => application.clientId.toLowerCase() === clientId.toLowerCase());
}

/** The properties that are asked for, or all that the simulator has. */
function read({ objectId, clientId, passwords }: Application, select: string | null): GraphObject {
  const all: GraphObject = {
    id: objectId,
    appId: clientId,
    keyCredentials: [],
    passwordCredentials: passwords.listed.map((password) => described(password, null)),
  };
  if (select === null) return all;
  const wanted = select.split(',').map((name) => name.trim());
  const unknown = wanted.find((name) => !Object.hasOwn(all, name));
  if (unknown !== undefined) {
    const message = `Parsing OData Select and Expand failed: Could not find a property named '${unknown}' on type 'microsoft.graph.application'.`;
    throw new GraphFailure(400, 'BadRequest', message);
  }
  return Object.fromEntries(wanted.map((name) => [name, all[name]]));
}

function described(password: Password, secretText: string | null): GraphObject {
  return {
    customKeyIdentifier: null,
    displayName: password.displayName ?? null,
    endDateTime: new Date(password.expiresAt).toISOString(),
    hint: hintOf(password),
    keyId: password.keyId,
    secretText,
    startDateTime: new Date(password.startsAt).toISOString(),
  };
}

function addPassword({ passwords, maxPasswords }: Application, body: string, now: number): GraphObject {
  const options = readPasswordOptions(body);
  const { startsAt = now, expiresAt = Infinity } = options;
  if (expiresAt <= startsAt) throw invalidProperty('endDateTime');
  if (passwords.current.length >= maxPasswords) {
    const message =
      'The size of the object has exceeded its limit. Please reduce the number of values and retry your request.';
    throw new GraphFailure(400, 'Directory_ResourceSizeExceeded', message);
  }
  const password = passwords.add(options);
  return described(password, password.secretText);
}

function readPasswordOptions(body: string): PasswordOptions {
  const credential = readJsonObject(body)['passwordCredential'] ?? {};
  if (typeof credential !== 'object') throw invalidProperty('passwordCredential');
  const given = Object.entries<unknown>({ ...credential }).filter(([, value]) => value !== null);
  const { displayName, startDateTime, endDateTime, ...others } = Object.fromEntries(given);
  // Callers do not choose key id or text.
  const [refused] = Object.keys(others);
  if (refused !== undefined) throw invalidProperty(refused);
  if (displayName !== undefined && typeof displayName !== 'string') throw invalidProperty('displayName');
  return {
    ...(displayName !== undefined && { displayName }),
    ...(startDateTime !== undefined && { startsAt: readTime('startDateTime', startDateTime) }),
    ...(endDateTime !== undefined && { expiresAt: readTime('endDateTime', endDateTime) }),
  };
}

function readTime(name: string, value: unknown): number {
  const time = typeof value === 'string' && /^\d{4}-\d\d-\d\dT.*Z$/.test(value) ? Date.parse(value) : NaN;
  if (Number.isNaN(time)) throw invalidProperty(name);
  return time;
}

function removePassword({ passwords }: Application, body: string): void {
  const { keyId } = readJsonObject(body);
  if (typeof keyId !== 'string') throw badRequest("Invalid value specified for property 'keyId'.");
  if (!passwords.remove(keyId)) throw badRequest('No password credential found with keyId.');
}

function invalidProperty(name: string): GraphFailure {
  return badRequest(`Invalid value specified for property '${name}' of resource 'PasswordCredential'.`);
}
