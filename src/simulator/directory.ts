import { randomBytes } from 'node:crypto';
import { createApplication } from './applications.js';
import type { Application, ApplicationOptions } from './applications.js';
import type { BearerContext } from './bearer.js';
import { Groups } from './groups.js';
import type { Group, GroupOptions } from './groups.js';
import { NO_DELAYS } from './passwords.js';
import type { PropagationDelays } from './passwords.js';
import type { SigningKey, SigningKeys } from './signing-keys.js';
import { applicationClaims } from './tokens.js';
import type { Claims, IssueContext, TokenOptions } from './tokens.js';

/** What a directory starts from. */
export interface DirectoryOptions extends Omit<IssueContext, 'tokenSeries'> {
  readonly keys: SigningKeys;
}

/** The tenant's directory: applications, groups, signing keys and the tokens signed with them. */
export class Directory implements BearerContext {
  readonly tenantId: string;
  readonly authorityHost: string;
  readonly now: () => number;
  readonly groups = new Groups();
  readonly #keys: SigningKeys;
  readonly #applications = new Map<string, Application>();
  readonly #revokedSeries = new Set<string>();
  #tokenSeries = newSeries();
  #delays = NO_DELAYS;

  constructor(options: DirectoryOptions) {
    this.tenantId = options.tenantId;
    this.authorityHost = options.authorityHost;
    this.now = options.now;
    this.#keys = options.keys;
  }

  /** Registers an application, replacing one with the same client id. */
  addApplication(options: ApplicationOptions = {}): Application {
    const application = createApplication(options, { now: this.now, delays: () => this.#delays });
    this.#applications.set(application.clientId.toLowerCase(), application);
    return application;
  }

  /** Removes an application; tokens that it has stay good until they expire. */
  removeApplication(application: Application): void {
    this.#applications.delete(application.clientId.toLowerCase());
  }

  /** The application with that client id, when there is one. */
  application(clientId: string): Application | undefined {
    return this.#applications.get(clientId.toLowerCase());
  }

  /** All applications, in the order in which they were added. */
  get applications(): readonly Application[] {
    return [...this.#applications.values()];
  }

  /**
   * Changes how late parts of the directory learn of changes to passwords, those made before too; what is not named stays.
   * Applications for which `passwords.setDelays` says otherwise keep what it says.
   */
  setPropagationDelays(delays: Partial<PropagationDelays>): void {
    this.#delays = { ...this.#delays, ...delays };
  }

  /** Adds a group, replacing one with the same id. */
  addGroup(options: GroupOptions = {}): Group {
    return this.groups.add(options);
  }

  /** Removes a group. */
  removeGroup(group: Group): void {
    this.groups.remove(group);
  }

  /** Whether there is a service principal with that object id. */
  hasServicePrincipal(id: string): boolean {
    const wanted = id.toLowerCase();
    return this.applications.some(({ principalId }) => principalId.toLowerCase() === wanted);
  }

  /** The key that signs, then older ones that are still published. */
  get signingKeys(): readonly SigningKey[] {
    return this.#keys.published;
  }

  /** Signs with a new key from now on. The old ones stay published until {@link retireOldKeys}. */
  rolloverKeys(): Promise<SigningKey> {
    return this.#keys.rollover();
  }

  /** Takes all keys but the newest out of the key sets. */
  retireOldKeys(): void {
    this.#keys.retireOld();
  }

  /** Signs these claims and no others, however odd. Header members are added or replaced, `alg` and its key aside. */
  issueToken(claims: Readonly<Claims>, header?: Readonly<Record<string, unknown>>): Promise<string> {
    return this.#keys.sign(claims, header);
  }

  /** The token that an application would get for its client secret. */
  applicationToken(application: Application, options: TokenOptions): Promise<string> {
    return this.issueToken(applicationClaims(application, options, this));
  }

  /** What unique ids of new tokens begin with. */
  get tokenSeries(): string {
    return this.#tokenSeries;
  }

  /** Revokes all tokens issued so far: resource manager and Graph refuse them from now on. */
  revokeTokens(): void {
    this.#revokedSeries.add(this.#tokenSeries);
    this.#tokenSeries = newSeries();
  }

  /** Whether the token with that unique id was revoked. */
  isRevoked(uniqueId: string): boolean {
    return this.#revokedSeries.has(uniqueId.slice(0, this.#tokenSeries.length));
  }
}

function newSeries(): string {
  return randomBytes(6).toString('base64url');
}
