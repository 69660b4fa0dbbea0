import { generateKeyPair } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { createServer as createHttpServer } from 'node:http';
import type { ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { CompactSign } from 'jose';
import type { JWTHeaderParameters } from 'jose';
import { createServerCertificate } from '../../src/simulator/x509.js';

const generate = promisify(generateKeyPair);

/** Somebody who signs assertions and publishes his keys, on a socket of his own. */
export class TestIssuer {
  readonly url: string;
  readonly ca: string | undefined;
  /** Paths asked for so far. */
  readonly requests: string[] = [];
  /** Answers by path, to be changed at will: text as it is, else JSON; what is not there is not found. */
  readonly documents: Record<string, unknown> = {};
  readonly #keys = new Map<string, KeyObject>();
  readonly #server: ReturnType<typeof createHttpServer>;

  private constructor(server: ReturnType<typeof createHttpServer>, scheme: string, ca?: string) {
    this.#server = server;
    this.ca = ca;
    this.url = `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const jwksUri = `${this.url}/keys`;
    this.documents['/.well-known/openid-configuration'] = { issuer: this.url, jwks_uri: jwksUri };
    this.documents['/keys'] = { keys: [] };
  }

  static async start(scheme: 'http' | 'https' = 'http'): Promise<TestIssuer> {
    const tls = scheme === 'https' ? createServerCertificate(['127.0.0.1']) : undefined;
    const server = tls ? createHttpsServer({ cert: tls.certificate, key: tls.privateKey }) : createHttpServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const issuer = new TestIssuer(server, scheme, tls?.ca);
    server.on('request', ({ url = '' }, response) => issuer.#answer(url, response));
    await issuer.addKey('first');
    return issuer;
  }

  /** Makes a key and publishes it, or not. */
  async addKey(kid: string, isPublished = true): Promise<void> {
    const { privateKey, publicKey } = await generate('rsa', { modulusLength: 2048 });
    this.#keys.set(kid, privateKey);
    if (isPublished) this.publish(...this.published, { ...publicKey.export({ format: 'jwk' }), kid, use: 'sig' });
  }

  get published(): object[] {
    return (this.documents['/keys'] as { keys: object[] }).keys;
  }

  publish(...keys: object[]): void {
    this.documents['/keys'] = { keys };
  }

  sign(claims: Record<string, unknown>, header: Partial<JWTHeaderParameters> = {}, key = 'first'): Promise<string> {
    return new CompactSign(Buffer.from(JSON.stringify(claims)))
      .setProtectedHeader({ alg: 'RS256', kid: key, ...header })
      .sign(this.#keys.get(key)!);
  }

  #answer(path: string, response: ServerResponse): void {
    this.requests.push(path);
    const document = this.documents[path];
    response.statusCode = document === undefined ? 404 : 200;
    response.end(typeof document === 'string' ? document : JSON.stringify(document ?? {}));
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeAllConnections();
    });
  }
}
