import { CommandFailure } from '../command-failure.js';
import { SAMPLE_RESOURCE, startSampleWorld } from '../sample-world.js';
import type { SampleWorld } from '../sample-world.js';
import { startServer } from '../server.js';
import type { RunningServer } from '../server.js';
import { listAt, textAt } from './answer.js';
import type { HttpCall } from './http-call.js';
import { keepRunning } from './keep-running.js';
import { Printer } from './printer.js';
import { ShownCalls } from './shown-calls.js';

/** Options of the command `demo`. */
export interface DemoOptions {
  readonly keep?: true;
}

/** Shows machines and other workloads logging in, step by step. Throws unless every step did what it says. */
export async function demo({ keep }: DemoOptions): Promise<void> {
  const printer = new Printer(process.stdout, process.env);
  printer.step(
    'Start a simulated cloud: a directory, a resource manager, and the metadata service of each machine in it',
  );
  const world = await startSampleWorld();
  let server: RunningServer | undefined;
  try {
    printer.command('cloud-identity-auth simulator');
    printer.result(`ready at ${world.simulator.url} with a certificate authority of its own`);

    printer.step('Start a secrets server');
    server = await startServer({ environments: [world.simulator.environment], logLevel: 'error' });
    printer.command('cloud-identity-auth server --dev --simulator');
    printer.result(`ready at ${server.url}`);

    await new Story(printer, world, server).tell();
    if (keep) await keepRunning(printer, world, server);
  } finally {
    await server?.close();
    await world.simulator.close();
  }
}

type Names = Readonly<Record<string, string>>;

class Story {
  readonly #calls: ShownCalls;

  constructor(
    readonly printer: Printer,
    readonly world: SampleWorld,
    readonly server: RunningServer,
  ) {
    this.#calls = new ShownCalls(printer, server.url, server.rootToken);
    this.#calls.remember('CLIENT_SECRET', world.application.clientSecret);
  }

  async tell(): Promise<void> {
    const { printer } = this;
    printer.step('Enable the method');
    await this.#calls.administer('POST', 'sys/auth/cloud', { type: 'cloud' });
    printer.result('enabled at auth/cloud');

    printer.step('Configure it: which tenant, which audience, which credentials to ask the cloud with');
    await this.#calls.administer('POST', 'auth/cloud/config', {
      tenant_id: this.world.simulator.tenantId,
      resource: SAMPLE_RESOURCE,
      client_id: this.world.application.clientId,
      client_secret: this.world.application.clientSecret,
    });
    printer.result('configured');

    printer.step('Create a role: machines of one resource group get the policy "web"');
    await this.#calls.administer('POST', 'auth/cloud/role/web', {
      bound_subscription_ids: [this.world.web.machine.subscriptionId],
      bound_resource_groups: [this.world.web.machine.resourceGroup],
      token_policies: ['web'],
      token_ttl: '15m',
    });
    printer.result('role web created');

    const jwt = await this.#fetchIdentityToken();
    const token = await this.#logIn(jwt);
    await this.#lookUp(token);
    await this.#tryAnotherMachine(jwt);
    await this.#logInOthers();
  }

  async #fetchIdentityToken(): Promise<string> {
    const { machine, metadata } = this.world.web;
    this.printer.step(`On the machine ${machine.name}: get an identity token from the metadata service`);
    const query = new URLSearchParams({ 'api-version': '2018-02-01', resource: SAMPLE_RESOURCE });
    const url = `${metadata.url}/metadata/identity/oauth2/token?${query.toString()}`;
    const answer = await this.#calls.show(
      { url, headers: { Metadata: 'true' } },
      200,
      'JWT=$(',
      ' | jq -r .access_token)',
    );
    const jwt = textAt(answer, 'access_token');
    this.#calls.remember('JWT', jwt);
    this.printer.result(`a signed token of ${jwt.length} characters for ${textAt(answer, 'resource')}`);
    return jwt;
  }

  async #logIn(jwt: string): Promise<string> {
    this.printer.step('Log in with it');
    const answer = await this.#calls.show(
      this.#login(jwt, { vm_name: this.world.web.machine.name }),
      200,
      'TOKEN=$(',
      ' | jq -r .auth.client_token)',
    );
    const token = textAt(answer, 'auth', 'client_token');
    const policies = listAt(answer, 'auth', 'policies');
    if (!policies.includes('web')) throw new CommandFailure('the token lacks the policy of the role');
    this.#calls.remember('TOKEN', token);
    this.printer.result(`a service token with the policies ${policies.join(' and ')}`);
    return token;
  }

  async #lookUp(token: string): Promise<void> {
    this.printer.step('Look the service token up');
    const url = `${this.server.url}/v1/auth/token/lookup-self`;
    const answer = await this.#calls.show({ url, headers: { 'X-Service-Token': token } }, 200);
    const machine = textAt(answer, 'data', 'meta', 'vm_name');
    if (machine !== this.world.web.machine.name) throw new CommandFailure('the token is of another machine');
    this.printer.result(
      `it belongs to ${machine} in the resource group ${textAt(answer, 'data', 'meta', 'resource_group_name')}`,
    );
  }

  async #tryAnotherMachine(jwt: string): Promise<void> {
    const other = this.world.batch.machine.name;
    this.printer.step(`Try to pass for the machine ${other} with the same identity token`);
    const answer = await this.#calls.show(this.#login(jwt, { vm_name: other }), 403);
    const [reason] = listAt(answer, 'errors');
    this.printer.refusal(`refused (403): ${reason}`);
  }

  /** Each kind logs in by what its metadata service says of it, and tries to pass for the one before it. */
  async #logInOthers(): Promise<void> {
    const { printer, server, world } = this;
    printer.step('On machines of other kinds: get a token from the metadata service of the kind, and log in with it');
    printer.command(`cloud-identity-auth login --address ${server.url} --role web --resource ${SAMPLE_RESOURCE} --vm`);
    const { name } = world.web.machine;
    let other: { description: string; names: Names } = { description: name, names: { vm_name: name } };
    for (const { description, source } of world.workloads) {
      const [jwt, names] = await Promise.all([source.token({ resource: SAMPLE_RESOURCE }), source.names()]);
      const policies = listAt(await this.#calls.send(this.#login(jwt, names), 200), 'auth', 'policies');
      if (!policies.includes('web')) throw new CommandFailure('the token lacks the policy of the role');
      const field = Object.keys(names).at(2) ?? 'its client id';
      printer.result(`${description}, by ${field}: a service token with the policies ${policies.join(' and ')}`);

      const [reason] = listAt(await this.#calls.send(this.#login(jwt, other.names), 403), 'errors');
      printer.refusal(`  as ${other.description}: refused (403): ${reason}`);
      other = { description, names };
    }
  }

  #login(jwt: string, name: Names): HttpCall {
    const { subscriptionId, resourceGroup } = this.world.web.machine;
    const names = { subscription_id: subscriptionId, resource_group_name: resourceGroup, ...name };
    return { method: 'POST', url: `${this.server.url}/v1/auth/cloud/login`, body: { role: 'web', jwt, ...names } };
  }
}
