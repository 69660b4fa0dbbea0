import type { OutboundRequest } from '../contract/index.js';
import type { Credential } from './credential.js';
import type { Send } from './retry.js';

/** How requests go out. */
interface Ways {
  /** As often as it takes. */
  readonly send: Send;
  /** For the one more try. */
  readonly sendOnce: Send;
}

/**
 * Sends requests with an access token. One that is answered with 401 is sent once more with a fresh token, in case the first
 * was revoked before its time: one more try, whatever comes of it.
 */
export function authorized({ send, sendOnce }: Ways, credential: Credential): Send {
  return async (request) => {
    const withToken = (token: string): OutboundRequest => ({
      ...request,
      headers: { ...request.headers, authorization: `Bearer ${token}` },
    });

    const token = await credential.token(request.signal);
    const answer = await send(withToken(token));
    if (answer.status !== 401) return answer;

    const other = await credential.replacement(token, request.signal);
    if (other === undefined) return answer;
    const second = await sendOnce(withToken(other));
    if (second.status === 401) credential.replacementRefused();
    return second;
  };
}
