import type { Credential } from './credential.js';
import type { Send } from './retry.js';

/**
 * Sends requests with an access token. One that is answered with 401 is sent once more with a fresh token, in case the first
 * was revoked before its time.
 */
export function authorized(send: Send, credential: Credential): Send {
  return async (request) => {
    const sendWith = (token: string): ReturnType<Send> =>
      send({ ...request, headers: { ...request.headers, authorization: `Bearer ${token}` } });

    const token = await credential.token(request.signal);
    const answer = await sendWith(token);
    if (answer.status !== 401) return answer;

    const other = await credential.replacement(token, request.signal);
    if (other === undefined) return answer;
    const second = await sendWith(other);
    if (second.status === 401) credential.replacementRefused();
    return second;
  };
}
