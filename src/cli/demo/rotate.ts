import { setTimeout as wait } from 'node:timers/promises';
import { CommandFailure } from '../command-failure.js';
import { SAMPLE_RESOURCE, startSampleWorld } from '../sample-world.js';
import type { SampleWorld } from '../sample-world.js';
import { startServer } from '../server.js';
import type { RunningServer } from '../server.js';
import { listAt, textAt } from './answer.js';
import { LoginLoop } from './login-loop.js';
import { Printer } from './printer.js';
import { ShownCalls } from './shown-calls.js';

/** Milliseconds that the directory takes to accept a new secret. */
const ACCEPTANCE_DELAY = 5_000;
/** Milliseconds within which the swap must have been completed. */
const SWAP_DEADLINE = 60_000;
const POLL_INTERVAL = 100;
/** Logins to wait for, to see that they go on. */
const ENOUGH_LOGINS = 20;

/**
 * Shows a rotation of the client secret that no login notices, by a directory that is slow to accept the new one.
 * @throws CommandFailure unless every step does what it says, and every login meanwhile succeeds.
 */
export async function demoRotate(): Promise<void> {
  const printer = new Printer(process.stdout, process.env);
  printer.step(
    `Start a simulated cloud whose directory takes ${ACCEPTANCE_DELAY / 1000} s to accept a new client secret`,
  );
  const world = await startSampleWorld();
  let server: RunningServer | undefined;
  try {
    world.simulator.setPropagationDelays({ secretAcceptanceDelay: ACCEPTANCE_DELAY });
    printer.result('ready, with an application whose client secret an operator made');

    printer.step('Start a secrets server');
    // Every login asks the cloud, and none is served by what an earlier one was told.
    server = await startServer({ environments: [world.simulator.environment], logLevel: 'error', lookupTtl: 0 });
    printer.result(`ready at ${server.url}`);

    const logins = new LoginLoop(world, server.url);
    try {
      await new RotationStory(printer, world, server, logins).tell();
    } finally {
      await logins.stop();
    }
  } finally {
    await server?.close();
    await world.simulator.close();
  }
}

class RotationStory {
  readonly #calls: ShownCalls;

  constructor(
    readonly printer: Printer,
    readonly world: SampleWorld,
    server: RunningServer,
    readonly logins: LoginLoop,
  ) {
    this.#calls = new ShownCalls(printer, server.url, server.rootToken);
    this.#calls.remember('CLIENT_SECRET', world.application.clientSecret);
  }

  async tell(): Promise<void> {
    await this.#configure();

    const { logins, printer } = this;
    printer.step('Let machines log in all the while. Each login makes the server use its client secret');
    logins.start();
    await this.#seeLogins();

    await this.#rotate();
    await this.#lookWhilePending();
    await this.#awaitSwap();
    await this.#seeLogins();
    await logins.stop();

    const { length: failed, 0: first } = logins.failures;
    printer.step('Count');
    const asked = this.world.simulator.calls({ service: 'authority', method: 'POST' }).length;
    printer.result(`the directory was asked for ${asked} access tokens`);
    printer.result(`${logins.logins} logins, ${failed} failed`);
    if (failed > 0) throw new CommandFailure(`${failed} of ${logins.logins} logins failed; the first: ${first}`);
    if (asked < logins.logins) throw new CommandFailure('not every login made the server use its client secret');
  }

  async #configure(): Promise<void> {
    const { application, simulator, web } = this.world;
    this.printer.step("Enable the method with the operator's client secret, and create a role");
    await this.#calls.administer('POST', 'sys/auth/cloud', { type: 'cloud' });
    await this.#calls.administer('POST', 'auth/cloud/config', {
      tenant_id: simulator.tenantId,
      resource: SAMPLE_RESOURCE,
      client_id: application.clientId,
      client_secret: application.clientSecret,
    });
    await this.#calls.administer('POST', 'auth/cloud/role/web', {
      bound_resource_groups: [web.machine.resourceGroup],
      token_policies: ['web'],
    });
    this.printer.result('configured');
  }

  async #rotate(): Promise<void> {
    this.printer.step('Rotate the client secret');
    const answer = await this.#calls.administer('POST', 'auth/cloud/rotate-root', undefined, 200);
    const [warning] = listAt(answer, 'warnings');
    this.printer.refusal(`200 with a warning: ${warning}`);
  }

  async #lookWhilePending(): Promise<void> {
    const { printer, world } = this;
    printer.step('Look where it stands');
    const state = textAt(
      await this.#calls.administer('GET', 'auth/cloud/rotate-root', undefined, 200),
      'data',
      'state',
    );
    if (state !== 'pending') throw new CommandFailure(`the rotation is ${state}, and not pending`);
    printer.result('pending: the new secret is stored beside the old one, and tried until the directory accepts it');
    if ((await this.#secretInUse()) !== world.application.clientSecret) {
      throw new CommandFailure('the old secret is not in use any more');
    }
    printer.result("the operator's secret is still in use");
    await this.#seeLogins();
  }

  async #awaitSwap(): Promise<void> {
    const { printer, world } = this;
    printer.step('Wait until the directory accepts the new secret');
    const start = performance.now();
    while ((await this.#read('rotate-root', 'state')) !== 'idle') {
      if (performance.now() - start > SWAP_DEADLINE) throw new CommandFailure('the rotation does not end');
      await wait(POLL_INTERVAL);
    }
    const { clientSecret, passwords } = world.application;
    const inUse = await this.#secretInUse();
    const [only, ...others] = passwords.current;
    if (inUse === clientSecret) throw new CommandFailure("the operator's secret is still in use");
    printer.result('swapped: the new secret is in use');
    if (only?.secretText !== inUse || others.length > 0) {
      throw new CommandFailure(
        `the directory has ${passwords.current.length} credentials instead of the new one alone`,
      );
    }
    printer.result("the operator's credential is gone from the directory, and no stray one is left:");
    printer.result(`the only one is ${only.displayName}`);
    printer.result(`last_rotation_time is ${await this.#read('config', 'last_rotation_time')}`);
  }

  /** Waits for further logins. */
  async #seeLogins(): Promise<void> {
    const before = this.logins.logins;
    while (this.logins.logins < before + ENOUGH_LOGINS) await wait(POLL_INTERVAL);
    this.printer.result(`${this.logins.logins} logins so far, ${this.logins.failures.length} failed`);
  }

  #secretInUse(): Promise<string> {
    return this.#read('config', 'client_secret');
  }

  async #read(path: string, field: string): Promise<string> {
    const headers = { 'X-Service-Token': this.#calls.rootToken };
    return textAt(
      await this.#calls.send({ url: `${this.#calls.url}/v1/auth/cloud/${path}`, headers }, 200),
      'data',
      field,
    );
  }
}
