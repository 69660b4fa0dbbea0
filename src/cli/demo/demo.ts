import { CommandFailure } from '../command-failure.js';
import { SAMPLE_RESOURCE, startSampleWorld } from '../sample-world.js';
import type { SampleWorld } from '../sample-world.js';
import { startServer } from '../server.js';
import type { RunningServer } from '../server.js';
import { untilStopped } from '../until-stopped.js';
import { send, toCurl } from './http-call.js';
import type { HttpAnswer, HttpCall, ShellVariable } from './http-call.js';
import { Printer } from './printer.js';

/** Options of the command `demo`. */
export interface DemoOptions {
  readonly keep?: true;
}

/** Shows machines and other workloads logging in, step by step. Throws unless every step did what it says. */
export async function demo({ keep }: DemoOptions): Promise<void> {
  const printer = new Printer(process.stdout, process.env);
  printer.step('Start a simulated cloud: a directory, a resource manager and the metadata services of two machines');
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

async function keepRunning(printer: Printer, world: SampleWorld, server: RunningServer): Promise<void> {
  // Before the text that tells others it is time: a signal may follow at once.
  const stopped = untilStopped();
  printer.note('');
  printer.note('Both keep running until Ctrl-C. For the commands above:');
  printer.note(`  ROOT_TOKEN='${server.rootToken}'`);
  printer.note(`  CLIENT_SECRET='${world.application.clientSecret}'`);
  for (const { variable, fetchToken } of world.workloads) printer.note(`  ${variable}='${await fetchToken()}'`);
  await stopped;
}

class Story {
  readonly #variables: ShellVariable[];

  constructor(
    readonly printer: Printer,
    readonly world: SampleWorld,
    readonly server: RunningServer,
  ) {
    this.#variables = [
      { name: 'ROOT_TOKEN', value: server.rootToken },
      { name: 'CLIENT_SECRET', value: world.application.clientSecret },
    ];
  }

  async tell(): Promise<void> {
    const { printer } = this;
    printer.step('Enable the method');
    await this.#administer('POST', 'sys/auth/cloud', { type: 'cloud' });
    printer.result('enabled at auth/cloud');

    printer.step('Configure it: which tenant, which audience, which credentials to ask the cloud with');
    await this.#administer('POST', 'auth/cloud/config', {
      tenant_id: this.world.simulator.tenantId,
      resource: SAMPLE_RESOURCE,
      client_id: this.world.application.clientId,
      client_secret: this.world.application.clientSecret,
    });
    printer.result('configured');

    printer.step('Create a role: machines of one resource group get the policy "web"');
    await this.#administer('POST', 'auth/cloud/role/web', {
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
    const answer = await this.#call({ url, headers: { Metadata: 'true' } }, 200, 'JWT=$(', ' | jq -r .access_token)');
    const jwt = textAt(answer, 'access_token');
    this.#variables.push({ name: 'JWT', value: jwt });
    this.printer.result(`a signed token of ${jwt.length} characters for ${textAt(answer, 'resource')}`);
    return jwt;
  }

  async #logIn(jwt: string): Promise<string> {
    this.printer.step('Log in with it');
    const answer = await this.#call(
      this.#login(jwt, { vm_name: this.world.web.machine.name }),
      200,
      'TOKEN=$(',
      ' | jq -r .auth.client_token)',
    );
    const token = textAt(answer, 'auth', 'client_token');
    const policies = listAt(answer, 'auth', 'policies');
    if (!policies.includes('web')) throw new CommandFailure('the token lacks the policy of the role');
    this.#variables.push({ name: 'TOKEN', value: token });
    this.printer.result(`a service token with the policies ${policies.join(' and ')}`);
    return token;
  }

  async #lookUp(token: string): Promise<void> {
    this.printer.step('Look the service token up');
    const url = `${this.server.url}/v1/auth/token/lookup-self`;
    const answer = await this.#call({ url, headers: { 'X-Service-Token': token } }, 200);
    const machine = textAt(answer, 'data', 'meta', 'vm_name');
    if (machine !== this.world.web.machine.name) throw new CommandFailure('the token is of another machine');
    this.printer.result(
      `it belongs to ${machine} in the resource group ${textAt(answer, 'data', 'meta', 'resource_group_name')}`,
    );
  }

  async #tryAnotherMachine(jwt: string): Promise<void> {
    const other = this.world.batch.machine.name;
    this.printer.step(`Try to pass for the machine ${other} with the same identity token`);
    const answer = await this.#call(this.#login(jwt, { vm_name: other }), 403);
    const [reason] = listAt(answer, 'errors');
    this.printer.refusal(`refused (403): ${reason}`);
  }

  async #logInOthers(): Promise<void> {
    this.printer.step('Log in from workloads of other kinds with the same role');
    for (const { description, variable, names, fetchToken } of this.world.workloads) {
      const jwt = await fetchToken();
      this.#variables.push({ name: variable, value: jwt });
      const answer = await this.#call(this.#login(jwt, names), 200);
      const policies = listAt(answer, 'auth', 'policies');
      if (!policies.includes('web')) throw new CommandFailure('the token lacks the policy of the role');
      this.printer.result(`${description}: a service token with the policies ${policies.join(' and ')}`);
    }
  }

  #login(jwt: string, name: Readonly<Record<string, string>>): HttpCall {
    const { subscriptionId, resourceGroup } = this.world.web.machine;
    const names = { subscription_id: subscriptionId, resource_group_name: resourceGroup, ...name };
    return { method: 'POST', url: `${this.server.url}/v1/auth/cloud/login`, body: { role: 'web', jwt, ...names } };
  }

  async #administer(method: string, path: string, body: HttpCall['body'] & object): Promise<void> {
    const headers = { 'X-Service-Token': this.server.rootToken };
    await this.#call({ method, url: `${this.server.url}/v1/${path}`, headers, body }, 204);
  }

  async #call(call: HttpCall, expected: number, before = '', after = ''): Promise<HttpAnswer> {
    this.printer.command(before + toCurl(call, this.#variables) + after);
    const answer = await send(call);
    if (answer.status !== expected) {
      throw new CommandFailure(
        `expected status ${expected}, got ${answer.status}: ${JSON.stringify(answer.body['errors'])}`,
      );
    }
    return answer;
  }
}

function textAt({ body }: HttpAnswer, ...path: readonly string[]): string {
  const value = at(body, path);
  if (typeof value !== 'string') throw new CommandFailure(`the answer lacks ${path.join('.')}`);
  return value;
}

function listAt({ body }: HttpAnswer, ...path: readonly string[]): readonly string[] {
  const value = at(body, path);
  if (!Array.isArray(value)) throw new CommandFailure(`the answer lacks ${path.join('.')}`);
  return value as string[];
}

function at(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (current, name) => (current as Record<string, unknown> | null | undefined)?.[name],
    value,
  );
}
