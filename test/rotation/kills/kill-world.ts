import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { startSimulator } from '../../../src/simulator/index.js';
import type { Application, Call, Fault, FaultHandle, Machine, Simulator } from '../../../src/simulator/index.js';
import { RESOURCE } from '../../credentials/server.js';
import { ServerProcess } from './server-process.js';
import type { Command, MaybeAnswer } from './server-process.js';

/** Beginning of the names of credentials that rotations make. */
const OURS = 'cloud-identity-auth-';
const DEADLINE = 20_000;
const LONG_AGO = 24 * 3_600_000;
const WATCHED: readonly Fault[] = [{ service: 'graph' }, { service: 'authority', path: /\/oauth2\/v2\.0\/token/ }];

/** When the process is to die: before or after which write, or which call to the directory. */
export interface Mishap {
  readonly on: 'write' | 'call';
  readonly at: number;
  readonly when: 'before' | 'after';
}

/** A simulated cloud and a server over a directory on disk, which dies and comes back. */
export class KillWorld {
  /** What went wrong with the promise. */
  readonly problems = { lost: [] as string[], leftBehind: [] as string[], others: [] as string[] };
  kills = 0;
  recoveries = 0;
  cloud!: Simulator;
  application!: Application;
  server!: ServerProcess;
  /** Calls to the directory since they are counted, by their beginnings and ends. */
  readonly calls: { readonly call: Call; readonly when: 'before' | 'after'; readonly at: number }[] = [];
  /** What is under way, for the problems. */
  title = '';
  /** Credentials that nobody may touch. */
  readonly #foreign = new Set<string>();
  readonly #directory = mkdtempSync(join(tmpdir(), 'kills-'));
  readonly #faults: FaultHandle[] = [];
  #machine!: Machine;
  #spare = new ServerProcess();
  #plan: Mishap | undefined;
  /** Milliseconds that the directory's clock is ahead. */
  #skew = 0;
  #atCall: () => Promise<unknown> = () => Promise.resolve();

  private constructor(readonly nodes: number) {}

  static async create(nodes = 1): Promise<KillWorld> {
    const world = new KillWorld(nodes);
    world.cloud = await startSimulator({ now: () => Date.now() + world.#skew });
    world.#machine = world.cloud.addVirtualMachine({ name: 'web-1', systemAssigned: true });
    await world.start();
    await world.must('POST', 'role/dev', { bound_resource_groups: [world.cloud.resourceGroup] }, 204);
    return world;
  }

  async start(): Promise<void> {
    const server = this.#spare;
    this.#spare = new ServerProcess();
    await server.open(this.#directory, this.cloud.environment, this.nodes);
    this.server = server;
  }

  async close(): Promise<void> {
    await Promise.all([this.server.kill(), this.#spare.kill()]);
    await this.cloud.close();
    rmSync(this.#directory, { recursive: true });
  }

  /** Configures a fresh application, with a credential of somebody else. */
  async enrol(): Promise<void> {
    this.application = this.cloud.addApplication();
    this.#foreign.clear();
    this.plant('backup');
    await this.must('POST', 'config', this.#settings(), 204);
  }

  /** A credential that an operator made by hand long ago; it has to stay. Gives its text. */
  plant(name: string): string {
    const secretText = `${name.slice(0, 3)}~canary-${name}`;
    this.#skew = -LONG_AGO;
    this.#foreign.add(this.application.passwords.add({ displayName: name, secretText }).keyId);
    this.#skew = 0;
    return secretText;
  }

  async must(method: 'GET' | 'POST' | 'DELETE', path: string, body: object | undefined, status: number): Promise<void> {
    const answer = await this.server.call(method, path, body);
    if (answer?.status !== status) throw new Error(`${path}: ${answer?.status} ${answer?.text}`);
  }

  /**
   * Counts writes and calls from here on, and has the process killed at one of them.
   *
   * @param atCall - what happens at a call instead
   */
  async arm(plan?: Mishap, atCall: () => Promise<unknown> = () => this.server.kill()): Promise<void> {
    this.calls.length = 0;
    this.#plan = plan;
    this.#atCall = atCall;
    for (const fault of WATCHED) this.fail(fault);
    await this.server.tell({ plan: plan?.on === 'write' ? { at: plan.at, when: plan.when } : null });
  }

  /** A fault, whose calls count too. */
  fail(fault: Fault): FaultHandle {
    const before = (call: Call): Promise<void> => this.#pass(call, this.#begun() + 1, 'before');
    const after = (call: Call): Promise<void> =>
      this.#pass(call, this.calls.find((other) => other.call === call)!.at, 'after');
    const handle = this.cloud.fail({ ...fault, before, after });
    this.#faults.push(handle);
    return handle;
  }

  /** All is well with the cloud from here on. */
  calm(): void {
    for (const fault of this.#faults.splice(0)) fault.remove();
  }

  async tell(command: Command): Promise<readonly string[]> {
    return this.server.tell(command);
  }

  rotate(node = 0): Promise<MaybeAnswer> {
    return this.server.call('POST', 'rotate-root', {}, node);
  }

  /** A login for which the cloud is asked about the machine. */
  async login(node = 0): Promise<MaybeAnswer> {
    const jwt = await this.cloud.tokenFor(this.#machine, { resource: RESOURCE });
    const { subscriptionId, resourceGroup, name } = this.#machine;
    const named = { subscription_id: subscriptionId, resource_group_name: resourceGroup, vm_name: name };
    return this.server.call('POST', 'login', { role: 'dev', jwt, ...named }, node);
  }

  /** A login that has to succeed, unless the process dies. */
  async expectLogin(node = 0): Promise<void> {
    const answer = await this.login(node);
    if (answer !== undefined && answer.status !== 200) this.note('others', `login: ${answer.status} ${answer.text}`);
  }

  /** A rotation that has to succeed, unless the process dies or another node is in its way. */
  async expectRotation(node = 0): Promise<void> {
    const answer = await this.rotate(node);
    if (answer === undefined || answer.status < 300 || this.nodes > 1) return;
    this.note('others', `rotation: ${answer.status} ${answer.text}`);
  }

  /** Waits until no rotation is open, or it is in that state, and nothing is to be removed; ends early when the process does. */
  async idle(state = 'idle', node = 0): Promise<void> {
    for (const end = Date.now() + DEADLINE; Date.now() < end;) {
      const answer = await this.server.call('GET', 'rotate-root', undefined, node);
      if (answer === undefined || (answer.data['state'] === state && answer.data['clean_ups'] === 0)) return;
      await wait(10);
    }
    this.note('others', `does not come to rest: ${this.server.log.slice(-3_000)}`);
  }

  /** Kills what has not died by itself, and starts anew. Storage must hold a secret that works at once, and at last. */
  async recover(calm?: (world: KillWorld) => void): Promise<void> {
    await this.server.kill();
    this.kills += 1;
    this.#plan = undefined;
    this.calm();
    await this.start();
    await this.expectSecret();
    if ((await this.storedSecret()) !== undefined) await this.expectLogin();
    calm?.(this);
    await this.expectPromise();
    this.recoveries += 1;
  }

  /** First half of the promise: the stored secret works. */
  async expectSecret(node = 0): Promise<string | undefined> {
    const secret = await this.storedSecret(node);
    if (secret === undefined) return undefined;
    const { current } = this.application.passwords;
    const isThere = current.some(({ secretText }) => secretText === secret);
    const verdict = isThere ? this.application.passwords.check(secret) : 'removed';
    if (verdict === 'accepted') return secret;
    // It may have been replaced, and removed, while the answer was on its way.
    if (secret !== (await this.storedSecret(node))) return this.expectSecret(node);
    this.note('lost', `the stored secret is ${verdict}`);
    return secret;
  }

  /** Both halves, once all is at rest. */
  async expectPromise(node = 0): Promise<void> {
    await this.idle('idle', node);
    const secret = await this.expectSecret(node);
    const { current, all } = this.application.passwords;
    const ours = current.filter(({ displayName }) => displayName?.startsWith(OURS));
    const isOurs = ours.some(({ secretText }) => secretText === secret);
    for (const { secretText, keyId } of ours) {
      if (secretText !== secret) this.note('leftBehind', `${keyId} is in the directory`);
    }
    if (isOurs && current.some(({ keyId }) => keyId === all[0]!.keyId)) {
      this.note('leftBehind', 'the superseded secret is in the directory');
    }
    const missing = [...this.#foreign].filter((keyId) => !current.some((password) => password.keyId === keyId));
    if (missing.length > 0) this.note('others', "somebody else's credential has been removed");
    if (secret !== undefined) await this.expectLogin(node);
  }

  async storedSecret(node = 0): Promise<string | undefined> {
    const answer = await this.server.call('GET', 'config', undefined, node);
    if (answer?.status !== 200 && answer?.status !== 404)
      this.note('others', `config: ${answer?.status} ${answer?.text}`);
    return answer?.data['client_secret'] as string | undefined;
  }

  #settings(): object {
    const { tenantId } = this.cloud;
    const { clientId, clientSecret } = this.application;
    const credential = { client_id: clientId, client_secret: clientSecret };
    return { tenant_id: tenantId, resource: RESOURCE, ...credential, max_retries: 2, retry_delay: '20ms' };
  }

  #begun(): number {
    return this.calls.filter(({ when }) => when === 'before').length;
  }

  async #pass(call: Call, at: number, when: Mishap['when']): Promise<void> {
    this.calls.push({ call, when, at });
    const plan = this.#plan;
    if (plan?.on === 'call' && plan.at === at && plan.when === when) await this.#atCall();
  }

  note(kind: keyof KillWorld['problems'], text: string): void {
    this.problems[kind].push(`${this.title}: ${text}`);
  }
}
