import type { VirtualMachine } from '../../simulator/index.js';
import { SAMPLE_RESOURCE } from '../sample-world.js';
import type { SampleWorld } from '../sample-world.js';
import { send } from './http-call.js';

/**
 * Machines that log in one after the other until told to stop. The cloud refuses the server's access token at each login, so
 * that each makes the server ask the directory for a new one, with the client secret.
 */
export class LoginLoop {
  readonly #world: SampleWorld;
  readonly #url: string;
  readonly #failures: string[] = [];
  #logins = 0;
  #isStopping = false;
  #running: Promise<void> | undefined;

  constructor(world: SampleWorld, serverUrl: string) {
    this.#world = world;
    this.#url = `${serverUrl}/v1/auth/cloud/login`;
  }

  /** Logins so far, failed ones too. */
  get logins(): number {
    return this.#logins;
  }

  /** What the server said to those that failed. */
  get failures(): readonly string[] {
    return this.#failures;
  }

  start(): void {
    this.#running = this.#run();
  }

  /** Resolves when the login under way is over. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#running;
  }

  async #run(): Promise<void> {
    const machines = [this.#world.web.machine, this.#world.batch.machine];
    while (!this.#isStopping) {
      for (const machine of machines) await this.#logIn(machine);
    }
  }

  async #logIn(machine: VirtualMachine): Promise<void> {
    const { simulator } = this.#world;
    const { subscriptionId, resourceGroup, name } = machine;
    const names = { subscription_id: subscriptionId, resource_group_name: resourceGroup, vm_name: name };
    const revocation = simulator.fail({ service: 'resource-manager', status: 401, times: 1 });
    try {
      const jwt = await simulator.tokenFor(machine, { resource: SAMPLE_RESOURCE });
      const answer = await send({ method: 'POST', url: this.#url, body: { role: 'web', jwt, ...names } });
      if (answer.status !== 200) this.#failures.push(`${answer.status} ${JSON.stringify(answer.body['errors'])}`);
    } catch (error) {
      this.#failures.push(String(error));
    } finally {
      revocation.remove();
      this.#logins += 1;
    }
  }
}
