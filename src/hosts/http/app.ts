import { randomUUID } from 'node:crypto';
import { Hono } from 'hono';
import type { Context } from 'hono';
import { addressBlocks, AuthMethodError, isAddressBlock } from '../../contract/index.js';
import type { AddressBlocks } from '../../contract/index.js';
import type { HostAnswer, HostOperation, HostRequest, ServerCore } from '../core/index.js';
import { readBody } from './body.js';
import { toEnvelope } from './envelope.js';
import { readRemoteAddress } from './remote-address.js';
import { parseTarget } from './request-target.js';
import { readServiceToken } from './service-token.js';

/** What the server in front knows of a request beside the request: the second argument of `app.fetch`. */
export interface HttpBindings {
  /** IP address of the peer. Without it, the address counts as unknown. */
  readonly remoteAddress?: string | undefined;
  /** The request target as it came over the wire. Without it, the path of the URL is used, which is normalised already. */
  readonly target?: string | undefined;
}

/** How requests are read. */
export interface AppOptions {
  /** Bytes of a request body; default 1 MiB. */
  readonly maxBodySize?: number;
  /** Whether `X-Vault-Token` names a token too; default false. */
  readonly vaultHeaders?: boolean;
  /** Address blocks of proxies whose `X-Forwarded-For` is believed; default none. */
  readonly trustedProxies?: readonly string[];
}

const MIB = 1024 * 1024;
const JSON_HEADERS = { 'content-type': 'application/json', 'x-content-type-options': 'nosniff' };
const OPERATIONS: Readonly<Record<string, HostOperation>> = {
  GET: 'read',
  HEAD: 'read',
  POST: 'write',
  PUT: 'write',
  DELETE: 'delete',
  LIST: 'list',
};

/** The server as a hono app: everything below `/v1/`, and an answer in the usual form for everything else. */
export function createApp(core: ServerCore, options: AppOptions): Hono<{ Bindings: HttpBindings }> {
  const { maxBodySize = MIB, vaultHeaders = false } = options;
  const trusted = trustedBlocks(options.trustedProxies ?? []);
  const app = new Hono<{ Bindings: HttpBindings }>();

  const serve = async (context: Context<{ Bindings: HttpBindings }>): Promise<Response> => {
    const { req } = context;
    // Servers in front need not hand over anything, whatever the type says.
    const bindings = (context.env as HttpBindings | undefined) ?? {};
    const id = randomUUID();
    const target = bindings.target ?? req.url;
    const remoteAddress = readRemoteAddress(bindings.remoteAddress, req.raw.headers.get('x-forwarded-for'), trusted);
    // What is known of the request so far, for the log line should it fail.
    let request: HostRequest = {
      id,
      operation: OPERATIONS[req.method] ?? 'read',
      path: '',
      ...(remoteAddress !== undefined && { remoteAddress }),
    };
    try {
      const { path, query } = parseTarget(target);
      if (path === undefined) throw new AuthMethodError('not_found', 'no such path');
      request = { ...request, path, operation: chooseOperation(req.method, query) };
      const token = readServiceToken(req.raw.headers, vaultHeaders);
      const data = request.operation === 'write' ? await readBody(req.raw, maxBodySize) : undefined;
      const answer = await core.handle({ ...request, ...(token !== undefined && { token }), ...(data && { data }) });
      return respond(request, answer);
    } catch (error) {
      return respondError(core, request, error);
    }
  };
  app.all('/v1/*', serve);
  app.notFound(serve);
  return app;
}

function trustedBlocks(entries: readonly string[]): AddressBlocks {
  if (entries.every(isAddressBlock)) return addressBlocks(entries);
  throw new AuthMethodError('invalid_request', 'trustedProxies: takes addresses and address blocks in CIDR notation');
}

function chooseOperation(method: string, query: URLSearchParams): HostOperation {
  const operation = Object.hasOwn(OPERATIONS, method) ? OPERATIONS[method] : undefined;
  if (operation === undefined) {
    throw new AuthMethodError('unsupported_operation', 'the server takes GET, POST, PUT, DELETE and LIST');
  }
  if (operation !== 'read') return operation;
  if (isSet(query, 'list')) return 'list';
  return isSet(query, 'help') ? 'help' : 'read';
}

function isSet(query: URLSearchParams, name: string): boolean {
  return ['1', 'true'].includes(query.get(name) ?? '');
}

function respond({ id, operation }: HostRequest, answer: HostAnswer | undefined): Response {
  if (answer !== undefined) return jsonResponse(200, id, toEnvelope(id, answer));
  if (operation !== 'write' && operation !== 'delete') return jsonResponse(404, id, { errors: [] });
  return new Response(null, { status: 204, headers: commonHeaders(id) });
}

function respondError(core: ServerCore, request: HostRequest, error: unknown): Response {
  const { status, message, retryAfter } = core.reportFailure(request, error);
  const response = jsonResponse(status, request.id, { errors: [message] });
  if (retryAfter !== undefined) response.headers.set('retry-after', String(Math.ceil(retryAfter)));
  return response;
}

function jsonResponse(status: number, id: string, body: object): Response {
  return new Response(JSON.stringify(body), { status, headers: { ...JSON_HEADERS, ...commonHeaders(id) } });
}

function commonHeaders(id: string): Record<string, string> {
  return { 'cache-control': 'no-store', 'x-request-id': id };
}
