import { randomBytes, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { AuthMethodError, createBackend, toPublicError } from 'cloud-identity-auth';
import type { Auth, Backend, BackendOptions, Clock, Logger, System } from 'cloud-identity-auth';
import { MapStorage } from './map-storage.js';

const MAX_BODY = 64 * 1024;

const clock: Clock = {
  now: Date.now,
  sleep: (milliseconds, signal) => sleep(milliseconds, undefined, signal && { signal }),
};

const system: System = {
  defaultLeaseTtl: () => Promise.resolve(3600),
  maxLeaseTtl: () => Promise.resolve(86_400),
  isActive: () => Promise.resolve(true),
  mountPath: 'cloud',
  mountAccessor: 'auth_cloud_embedded',
  namespace: '',
  product: 'example-server/1.0',
  sendsInvalidations: true,
};

/** A server with the method mounted, and the sessions that logins opened. */
export interface EmbeddingServer {
  readonly server: Server;
  readonly backend: Backend;
}

/**
 * A plain node:http server with the method mounted at /login. Configuration and roles are written by the server's own code, and
 * the session that a login opens is the server's own affair.
 */
export async function createEmbeddingServer(logger: Logger, options: BackendOptions = {}): Promise<EmbeddingServer> {
  const backend = createBackend({ storage: new MapStorage(), system, logger, clock }, options);
  await backend.initialize();
  const sessions = new Map<string, Auth>();

  async function login(request: IncomingMessage): Promise<object> {
    const remoteAddress = request.socket.remoteAddress;
    const response = await backend.handleRequest({
      id: randomUUID(),
      operation: 'update',
      path: 'login',
      data: await readJson(request),
      ...(remoteAddress !== undefined && { remoteAddress }),
    });
    if (response?.auth === undefined) throw new Error('a login without auth');
    const session = randomBytes(24).toString('base64url');
    sessions.set(session, response.auth);
    return { session, policies: response.auth.policies };
  }

  const server = createServer((request, response) => {
    if (request.method === 'POST' && request.url === '/login') {
      login(request).then(
        (body) => answer(response, 200, body),
        (error: unknown) => {
          const { status, message } = toPublicError(error);
          answer(response, status, { errors: [message] });
        },
      );
      return;
    }
    const session = sessions.get(request.headers.authorization?.replace('Bearer ', '') ?? '');
    if (session === undefined) answer(response, 401, { errors: ['log in first'] });
    else answer(response, 200, { machine: session.metadata['vm_name'], policies: session.policies });
  });
  return { server, backend };
}

async function readJson(request: IncomingMessage): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BODY) throw new AuthMethodError('body_too_large', `the body is over ${MAX_BODY} bytes`);
    chunks.push(chunk);
  }
  return parseObject(Buffer.concat(chunks).toString());
}

function parseObject(text: string): Record<string, unknown> {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    body = undefined;
  }
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body as Record<string, unknown>;
  throw new AuthMethodError('invalid_request', 'body: takes a JSON object');
}

function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
