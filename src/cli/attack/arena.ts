import { startSimulator } from '../../simulator/index.js';
import type { Application, ResourceTokenOptions, Simulator } from '../../simulator/index.js';
import { CommandFailure } from '../command-failure.js';
import { exchange, member } from '../json-exchange.js';
import type { JsonAnswer } from '../json-exchange.js';
import { startServer } from '../server.js';
import type { RunningServer } from '../server.js';
import { GROUP, populate, rolesFor } from './inhabitants.js';
import type { Inhabitants } from './inhabitants.js';
import { namesOf } from './pose.js';
import type { Pose } from './pose.js';
import { failedRuleIn, refusalIn, sentenceOf } from './refusal.js';
import type { Refusal } from './refusal.js';

/** Audience of the tokens that the server takes. */
export const AUDIENCE = 'https://secrets.example.com';

/** A request body; a text is sent as it is. */
export type RequestBody = Readonly<Record<string, unknown>> | string;

/** Headers of a request. */
export type RequestHeaders = Readonly<Record<string, string>>;

const TIMEOUT = 60_000;

/** What attacks are tried on: a server on HTTP that trusts one tenant of a simulated cloud. */
export class Arena {
  private constructor(
    /** The cloud that the mount `cloud` trusts. */
    readonly cloud: Simulator,
    /** Another tenant, where subscription and resource group have the same ids. */
    readonly otherCloud: Simulator,
    readonly server: RunningServer,
    readonly inhabitants: Inhabitants,
  ) {}

  /** Starts both clouds and the server, and enables the method at `cloud`. */
  static async start(): Promise<Arena> {
    const cloud = await startSimulator({ resourceGroup: GROUP });
    const { subscriptionId } = cloud;
    const otherCloud = await startSimulator({ resourceGroup: GROUP, subscriptionId, environmentName: 'OtherCloud' });
    const environments = [cloud.environment, otherCloud.environment];
    const server = await startServer({ environments, logLevel: 'error' });
    const arena = new Arena(cloud, otherCloud, server, populate(cloud));
    try {
      await arena.mount('cloud');
      return arena;
    } catch (error) {
      await arena.close();
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.server.close();
    await Promise.all([this.cloud.close(), this.otherCloud.close()]);
  }

  /** Configuration for a cloud. */
  configuration(cloud = this.cloud, application: Application = this.inhabitants.application): Record<string, unknown> {
    return {
      tenant_id: cloud.tenantId,
      environment: cloud.environment.name,
      resource: AUDIENCE,
      client_id: application.clientId,
      client_secret: application.clientSecret,
    };
  }

  /** Enables the method, configured for a cloud, with all roles. */
  async mount(name: string, configuration = this.configuration()): Promise<void> {
    await this.administer(`sys/auth/${name}`, { type: 'cloud' });
    await this.administer(`auth/${name}/config`, configuration);
    for (const [role, body] of Object.entries(rolesFor(this.inhabitants))) {
      await this.administer(`auth/${name}/role/${role}`, { ...body });
    }
  }

  /**
   * Writes as an administrator.
   * @throws CommandFailure when it is refused.
   */
  async administer(path: string, body: RequestBody): Promise<void> {
    const { status, body: answer } = await this.post(path, body, this.asAdministrator());
    if (status !== 204) throw new CommandFailure(`${path} could not be written: ${sentenceOf(answer)}`);
  }

  /** Sends a request as whoever the headers say; by default nobody. */
  post(path: string, body: RequestBody, headers: RequestHeaders = {}): Promise<JsonAnswer> {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const url = new URL(`/v1/${path}`, this.server.url);
    return exchange(url, TIMEOUT, { method: 'POST', headers, body: text }, 'the server');
  }

  /** Header of an administrator. */
  asAdministrator(): RequestHeaders {
    return { 'X-Service-Token': this.server.rootToken };
  }

  /**
   * Logs in and gives the service token.
   * @throws CommandFailure when the login is refused.
   */
  async logIn(body: RequestBody, mount = 'cloud'): Promise<string> {
    const { status, body: answer } = await this.post(`auth/${mount}/login`, body);
    const token = member(member(answer, 'auth'), 'client_token');
    if (status === 200 && typeof token === 'string') return token;
    throw new CommandFailure(`refused (${status}): ${sentenceOf(answer)}`);
  }

  /**
   * Tries to log in. What refused it: of a denial the rule, as an administrator has it explained; of a malformed request the
   * field. `undefined` when the login is granted.
   */
  async refusalOf(body: RequestBody, mount = 'cloud', headers: RequestHeaders = {}): Promise<Refusal | undefined> {
    const answer = await this.post(`auth/${mount}/login`, body, headers);
    if (answer.status === 200) return undefined;
    if (answer.status !== 403) return refusalIn(answer);
    return failedRuleIn(await this.post(`auth/${mount}/login/explain`, body, this.asAdministrator()));
  }

  /** Body of a login. */
  async loginOf({ from, token, as, fields }: Pose): Promise<Readonly<Record<string, unknown>>> {
    return { role: 'prod', jwt: await this.tokenOf(from, token), ...(as && namesOf(as)), ...fields };
  }

  /** A token that the directory issued. */
  tokenOf(from: Pose['from'], token: Partial<ResourceTokenOptions> = {}): Promise<string> {
    const options = { resource: AUDIENCE, ...token };
    if ('identityOwner' in from) return this.cloud.tokenFor(from, options);
    if ('passwords' in from) return this.cloud.applicationToken(from, options);
    return this.cloud.identityToken(from, options);
  }
}
