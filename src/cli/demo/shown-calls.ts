import { CommandFailure } from '../command-failure.js';
import { send, toCurl } from './http-call.js';
import type { HttpAnswer, HttpCall, ShellVariable } from './http-call.js';
import type { Printer } from './printer.js';

/** Makes the calls of a story and shows them as commands, with variables in the place of secrets. */
export class ShownCalls {
  readonly #variables: ShellVariable[] = [];

  constructor(
    readonly printer: Printer,
    /** Of the server. */
    readonly url: string,
    /** Secret. */
    readonly rootToken: string,
  ) {
    this.remember('ROOT_TOKEN', rootToken);
  }

  /** Shows the value as this variable from now on. */
  remember(name: string, value: string): void {
    this.#variables.push({ name, value });
  }

  /** Asks the server as its administrator, and shows how. */
  async administer(method: string, path: string, body?: HttpCall['body'], expected = 204): Promise<HttpAnswer> {
    const headers = { 'X-Service-Token': this.rootToken };
    return this.show({ method, url: `${this.url}/v1/${path}`, headers, ...(body && { body }) }, expected);
  }

  /** Makes a call and shows it, between what the command has before and after it. */
  async show(call: HttpCall, expected: number, before = '', after = ''): Promise<HttpAnswer> {
    this.printer.command(before + toCurl(call, this.#variables) + after);
    return this.send(call, expected);
  }

  /** Makes a call without showing it. Rejects with a CommandFailure when the answer has another status. */
  async send(call: HttpCall, expected: number): Promise<HttpAnswer> {
    const answer = await send(call);
    if (answer.status !== expected) {
      throw new CommandFailure(
        `expected status ${expected}, got ${answer.status}: ${JSON.stringify(answer.body['errors'])}`,
      );
    }
    return answer;
  }
}
