import type { INetworkModule, NetworkRequestOptions, NetworkResponse } from '@azure/msal-node';
import type { AuthMethodError } from '../contract/index.js';
import type { Failures } from './failures.js';
import { isRecord, isText } from './records.js';
import type { Send } from './retry.js';

interface DirectoryNetworkOptions {
  readonly send: Send;
  readonly failures: Failures;
  /** Bounds the whole token request. */
  readonly signal: AbortSignal;
  readonly ca: string | undefined;
}

/** msal's way to the directory, for one token request. Only successful answers get through to msal. */
export class DirectoryNetwork implements INetworkModule {
  /** What went wrong, once something has: msal replaces what its network module throws. */
  failure: AuthMethodError | undefined;
  /** Milliseconds that the token lives from now, once it has come. msal only tells a time of the system's clock. */
  lifetime = 0;
  readonly #options: DirectoryNetworkOptions;

  constructor(options: DirectoryNetworkOptions) {
    this.#options = options;
  }

  sendGetRequestAsync<T>(): Promise<NetworkResponse<T>> {
    return Promise.reject(new Error('Discovery is not needed: the authority is known.'));
  }

  async sendPostRequestAsync<T>(url: string, options: NetworkRequestOptions = {}): Promise<NetworkResponse<T>> {
    try {
      return await this.#post<T>(url, options.body ?? '');
    } catch (error) {
      throw (this.failure = this.#options.failures.fromException('directory', error));
    }
  }

  async #post<T>(url: string, body: string): Promise<NetworkResponse<T>> {
    const { send, failures, signal, ca } = this.#options;
    const answer = await send({
      method: 'POST',
      url,
      headers: { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded;charset=utf-8' },
      body,
      signal,
      ...(ca === undefined ? {} : { ca }),
    });
    if (answer.status !== 200) throw failures.fromAnswer('directory', answer);
    const parsed: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(answer.body));
    if (!isRecord(parsed) || !isText(parsed['access_token'])) throw new Error('an answer without a token');
    this.lifetime = toSeconds(parsed['expires_in']) * 1000;
    return { status: answer.status, headers: answer.headers, body: parsed as T };
  }
}

/** Directories write the number as a text at times. */
function toSeconds(value: unknown): number {
  const seconds = typeof value === 'string' ? Number(value) : value;
  if (typeof seconds !== 'number' || !Number.isSafeInteger(seconds) || seconds <= 0) {
    throw new Error('a token without a lifetime');
  }
  return seconds;
}
