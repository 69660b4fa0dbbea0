/** One HTTP request of the demo: made for real, and shown as the curl command that does the same. */
export interface HttpCall {
  readonly method?: string;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Readonly<Record<string, unknown>>;
}

/** A shell variable: its value is sent, its name is shown. */
export interface ShellVariable {
  readonly name: string;
  readonly value: string;
}

/** The answer, with its JSON body if there is one. */
export interface HttpAnswer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Makes the request. */
export async function send({ method = 'GET', url, headers, body }: HttpCall): Promise<HttpAnswer> {
  const response = await fetch(url, {
    method,
    ...(headers && { headers }),
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: text === '' ? {} : (JSON.parse(text) as HttpAnswer['body']) };
}

/** The curl command for the request, with the values of variables replaced by their names. */
export function toCurl(
  { method = 'GET', url, headers = {}, body }: HttpCall,
  variables: readonly ShellVariable[],
): string {
  const parts = [
    `curl -s${method === 'GET' ? '' : ` -X ${method}`}`,
    ...Object.entries(headers).map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`),
    ...(body ? [`-d ${quote(JSON.stringify(body))}`] : []),
    quote(url),
  ];
  const command = parts.join(' \\\n    ');
  // A variable cannot stand inside single quotes: they end before it and begin again after it.
  return variables
    .reduce((text, { name, value }) => text.replaceAll(value, `'"$${name}"'`), command)
    .replaceAll(`"''`, '"');
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
