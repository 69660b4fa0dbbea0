import { AsyncLocalStorage } from 'node:async_hooks';
import type { INetworkModule, NetworkRequestOptions, NetworkResponse } from '@azure/msal-node';
import type { AuthMethodError } from '../contract/index.js';
import type { TokenSource } from './credential.js';
import type { Failures } from './failures.js';
import { sendToMetadataService } from './metadata-transport.js';
import type { Send } from './retry.js';

/** What {@link managedIdentitySource} takes. */
export interface ManagedIdentityOptions {
  /** Of a user-assigned identity; absent = the machine's own. */
  readonly clientId: string | undefined;
  /** For instance `https://management.azure.com`. */
  readonly resource: string;
  /** Makes the way to the metadata service repeat what failed. */
  readonly repeating: (send: Send) => Send;
  readonly failures: Failures;
}

/** One request for a token. */
interface TokenRequest {
  readonly send: Send;
  readonly failures: Failures;
  readonly signal: AbortSignal;
  /** What went wrong, once something has: the library replaces what its network module throws. */
  failure: AuthMethodError | undefined;
}

/**
 * The library keeps the first network module that it is ever given, for the whole process. What belongs to one request, and so to
 * one mount, is therefore not in the module but goes along with the call.
 */
const currentRequest = new AsyncLocalStorage<TokenRequest>();

/**
 * Gets access tokens as the managed identity of the machine that this process runs on: from the instance metadata service, or
 * from that of App Service or Arc, whichever the process's environment names. The library finds that out once for the whole
 * process.
 */
export function managedIdentitySource(options: ManagedIdentityOptions): TokenSource {
  const { clientId, resource, repeating, failures } = options;
  const send = repeating(sendToMetadataService);
  return async (signal) => {
    const { ManagedIdentityApplication } = await import('@azure/msal-node');
    const application = new ManagedIdentityApplication({
      ...(clientId !== undefined && { managedIdentityIdParams: { userAssignedClientId: clientId } }),
      // The library's own repetitions know no deadline.
      system: { networkClient: new MetadataNetwork(), disableInternalRetries: true },
    });
    const request: TokenRequest = { send, failures, signal, failure: undefined };
    try {
      // The caller keeps tokens by itself, and asks for another one when one was revoked.
      const acquire = (): ReturnType<typeof application.acquireToken> =>
        application.acquireToken({ resource, forceRefresh: true });
      const { accessToken, expiresOn } = await currentRequest.run(request, acquire);
      const lifetime = (expiresOn?.getTime() ?? NaN) - Date.now();
      // An answer without one counts from the present second, which the library rounds up at times.
      if (!(lifetime > 1_000)) throw new Error('a token without a lifetime');
      return { value: accessToken, lifetime };
    } catch (error) {
      throw request.failure ?? failures.fromException('metadata service', error);
    }
  };
}

/** The library's way to the metadata service. */
class MetadataNetwork implements INetworkModule {
  sendGetRequestAsync<T>(url: string, options: NetworkRequestOptions = {}): Promise<NetworkResponse<T>> {
    return exchange<T>('GET', url, options);
  }

  sendPostRequestAsync<T>(url: string, options: NetworkRequestOptions = {}): Promise<NetworkResponse<T>> {
    return exchange<T>('POST', url, options);
  }
}

async function exchange<T>(
  method: 'GET' | 'POST',
  url: string,
  { headers = {}, body }: NetworkRequestOptions,
): Promise<NetworkResponse<T>> {
  const request = currentRequest.getStore();
  if (request === undefined) throw new Error('a request of somebody else in this process');
  const { send, failures, signal } = request;
  try {
    const answer = await send({ method, url, headers, signal, ...(body !== undefined && { body }) });
    // Arc asks first for proof that this process may read a file; the library then comes back with it.
    const isChallenge = answer.status === 401 && 'www-authenticate' in answer.headers;
    if (answer.status !== 200 && !isChallenge) throw failures.fromAnswer('metadata service', answer);
    const text = isChallenge ? '{}' : new TextDecoder('utf-8', { fatal: true }).decode(answer.body);
    return { status: answer.status, headers: answer.headers, body: JSON.parse(text) as T };
  } catch (error) {
    throw (request.failure = failures.fromException('metadata service', error));
  }
}
