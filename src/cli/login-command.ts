import { CommandFailure } from './command-failure.js';

/** What the commands `login` and `explain` have in common. */
export interface LoginRequestOptions {
  readonly address: string;
  readonly role: string;
  readonly resource: string;
  readonly mount: string;
  readonly vm?: true;
  readonly field: readonly string[];
  readonly identity?: string;
  readonly metadataUrl: string;
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

const METADATA_TIMEOUT = 5_000;
// The server itself waits up to 30 s for the cloud.
const LOGIN_TIMEOUT = 60_000;
const TOKEN_VERSION = '2018-02-01';
const INSTANCE_VERSION = '2021-12-13';

/** Gets an identity token of this machine, logs in with it and prints the service token. */
export async function login(options: LoginOptions): Promise<void> {
  const answer = await post(options, 'login', {});
  if (answer.status !== 200) {
    throw new CommandFailure(`the server refused the login (${answer.status}): ${errorsOf(answer.body)}`);
  }
  const token = member(member(answer.body, 'auth'), 'client_token');
  if (typeof token !== 'string')
    throw new CommandFailure('the server answered without a token: is this a secrets server?');
  process.stdout.write(options.format === 'json' ? `${JSON.stringify(answer.body, null, 2)}\n` : `${token}\n`);
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
  if (typeof outage === 'string') throw new CommandFailure(`not decided: ${outage}`);
  if (member(member(answer.body, 'data'), 'granted') !== true) throw new CommandFailure('the login is refused');
}

function ruleTable(rules: readonly unknown[]): string {
  const columns = ['rule', 'outcome', 'seen', 'wanted'];
  const rows = [columns, ...rules.map((rule) => columns.map((column) => cell(member(rule, column))))];
  const widths = columns.map((_, index) => Math.max(...rows.map((row) => row[index]?.length ?? 0)));
  return rows
    .map(
      (row) =>
        `${row
          .map((text, index) => text.padEnd(widths[index] ?? 0))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('');
}

/** What a server sends reaches a terminal: no control characters. */
function cell(value: unknown): string {
  return typeof value === 'string' ? value.replace(/\p{C}/gu, '?') : '';
}

async function post(
  options: LoginRequestOptions,
  path: string,
  headers: Record<string, string>,
): Promise<{ status: number; body: unknown }> {
  const fields = options.field.map(parseField);
  const address = parseUrl('--address', options.address);
  const [jwt, instance] = await Promise.all([identityToken(options), options.vm ? instanceFields(options) : {}]);
  const body = JSON.stringify({ role: options.role, jwt, ...instance, ...Object.fromEntries(fields) });
  const url = new URL(`/v1/auth/${options.mount.replace(/^\/+|\/+$/g, '')}/${path}`, address);
  return exchange(url, LOGIN_TIMEOUT, { method: 'POST', headers, body }, `the secrets server at ${options.address}`);
}

async function identityToken({ metadataUrl, resource, identity }: LoginRequestOptions): Promise<string> {
  const query = { 'api-version': TOKEN_VERSION, resource, ...(identity !== undefined && { client_id: identity }) };
  const body = await metadata(metadataUrl, 'metadata/identity/oauth2/token', query);
  const token = member(body, 'access_token');
  if (typeof token !== 'string') throw new CommandFailure('the metadata service answered without a token');
  return token;
}

async function instanceFields({ metadataUrl }: LoginRequestOptions): Promise<Record<string, string>> {
  const body = await metadata(metadataUrl, 'metadata/instance', { 'api-version': INSTANCE_VERSION });
  const compute = member(body, 'compute');
  const scaleSet = member(compute, 'vmScaleSetName');
  const isInstance = typeof scaleSet === 'string' && scaleSet !== '';
  const names = {
    subscription_id: 'subscriptionId',
    resource_group_name: 'resourceGroupName',
    ...(isInstance ? { vmss_name: 'vmScaleSetName' } : { vm_name: 'name' }),
  };
  const fields: Record<string, string> = {};
  for (const [field, name] of Object.entries(names)) {
    const value = member(compute, name);
    if (typeof value !== 'string') throw new CommandFailure(`the metadata service answered without compute.${name}`);
    fields[field] = value;
  }
  return fields;
}

async function metadata(base: string, path: string, query: Readonly<Record<string, string>>): Promise<unknown> {
  const url = new URL(path, `${parseUrl('--metadata-url', base).href.replace(/\/$/, '')}/`);
  url.search = new URLSearchParams(query).toString();
  const headers = { Metadata: 'true' };
  const hint = `the metadata service at ${base}; is this a cloud machine? --metadata-url names another address`;
  const answer = await exchange(url, METADATA_TIMEOUT, { headers }, hint);
  if (answer.status === 200) return answer.body;
  const reason = member(answer.body, 'error_description') ?? member(answer.body, 'error');
  throw new CommandFailure(
    `the metadata service refused ${url.pathname} (${answer.status}): ${typeof reason === 'string' ? reason : 'no reason given'}`,
  );
}

async function exchange(
  url: URL,
  timeout: number,
  init: RequestInit,
  whom: string,
): Promise<{ status: number; body: unknown }> {
  try {
    const response = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(timeout), ...init });
    const text = await response.text();
    return { status: response.status, body: parseJson(text) };
  } catch (error) {
    throw new CommandFailure(`cannot reach ${whom} (${reasonOf(error)})`);
  }
}

/** The innermost reason, such as ECONNREFUSED: the outer text of a failed fetch says nothing. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown reason';
  if (error.cause instanceof Error) return reasonOf(error.cause);
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function parseField(text: string): [string, string] {
  const [name = '', ...rest] = text.split('=');
  if (name === '' || rest.length === 0)
    throw new CommandFailure(`--field: got ${JSON.stringify(text)}; takes name=value`);
  return [name, rest.join('=')];
}

function parseUrl(option: string, text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    throw new CommandFailure(`${option}: got ${JSON.stringify(text)}; takes a URL such as https://secrets.example.com`);
  }
  if (url.username !== '' || url.password !== '')
    throw new CommandFailure(`${option}: takes a URL without credentials`);
  return url;
}

function errorsOf(body: unknown): string {
  const errors = member(body, 'errors');
  return Array.isArray(errors) && errors.length > 0 ? errors.join('; ') : 'no reason given';
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;
}
