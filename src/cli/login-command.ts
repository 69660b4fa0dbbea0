import { CommandFailure } from './command-failure.js';
import { findIdentitySource } from './identity/find-identity-source.js';
import type { IdentitySourceOptions } from './identity/find-identity-source.js';
import { exchange, member, parseUrl, printable, printableJson } from './json-exchange.js';
import type { JsonAnswer } from './json-exchange.js';
import { ruleTable } from './rule-table.js';

/** What the commands `login` and `explain` have in common. */
export interface LoginRequestOptions extends IdentitySourceOptions {
  readonly address: string;
  readonly role: string;
  readonly resource: string;
  readonly mount: string;
  readonly vm?: true;
  readonly field: readonly string[];
  readonly identity?: string;
}

/** Options of the command `login`. */
export interface LoginOptions extends LoginRequestOptions {
  readonly format: 'token' | 'json';
}

/** Options of the command `explain`. */
export interface ExplainOptions extends LoginRequestOptions {
  /** Service token of an administrator. */
  readonly token: string;
}

// The server itself waits up to 30 s for the cloud.
const LOGIN_TIMEOUT = 60_000;
// Fit for a header, and for a terminal.
const TOKEN = /^[\x21-\x7e]+$/;

/** Gets an identity token of this machine, logs in with it and prints the service token. */
export async function login(options: LoginOptions): Promise<void> {
  const answer = await post(options, 'login', {});
  if (answer.status !== 200) {
    throw new CommandFailure(`the server refused the login (${answer.status}): ${errorsOf(answer.body)}`);
  }
  const token = member(member(answer.body, 'auth'), 'client_token');
  if (typeof token !== 'string' || !TOKEN.test(token))
    throw new CommandFailure('the server answered without a token: is this a secrets server?');
  process.stdout.write(`${options.format === 'json' ? printableJson(answer.body) : token}\n`);
}

/** Prints what every rule says of a login of this machine, as a table. Fails unless it would be granted. */
export async function explain(options: ExplainOptions): Promise<void> {
  const answer = await post(options, 'login/explain', { 'X-Service-Token': options.token });
  const rules = member(member(answer.body, 'data'), 'rules');
  if (answer.status !== 200 || !Array.isArray(rules)) {
    throw new CommandFailure(`the server explains nothing (${answer.status}): ${errorsOf(answer.body)}`);
  }
  process.stdout.write(ruleTable(rules));
  const outage = member(member(answer.body, 'data'), 'error');
  if (typeof outage === 'string') throw new CommandFailure(`not decided: ${printable(outage)}`);
  if (member(member(answer.body, 'data'), 'granted') !== true) throw new CommandFailure('the login is refused');
}

async function post(
  options: LoginRequestOptions,
  path: string,
  headers: Readonly<Record<string, string>>,
): Promise<JsonAnswer> {
  const fields = options.field.map(parseField);
  const address = parseUrl('--address', options.address);
  const source = findIdentitySource(options, process.env);
  const [jwt, names] = await Promise.all([source.token(options), options.vm ? source.names() : {}]);
  const body = JSON.stringify({ role: options.role, jwt, ...names, ...Object.fromEntries(fields) });
  const url = new URL(`/v1/auth/${options.mount.replace(/^\/+|\/+$/g, '')}/${path}`, address);
  return exchange(url, LOGIN_TIMEOUT, { method: 'POST', headers, body }, `the secrets server at ${options.address}`);
}

function parseField(text: string): [string, string] {
  const [name = '', ...rest] = text.split('=');
  if (name === '' || rest.length === 0)
    throw new CommandFailure(`--field: got ${JSON.stringify(text)}; takes name=value`);
  return [name, rest.join('=')];
}

function errorsOf(body: unknown): string {
  const errors = member(body, 'errors');
  return Array.isArray(errors) && errors.length > 0 ? errors.map(printable).join('; ') : 'no reason given';
}
