import type { Application } from './applications.js';
import { checkAssertion } from './federated-credentials.js';
import type { ClientRefusal } from './federated-credentials.js';
import type { IssuerKeys } from './issuer-keys.js';

/** What a client has shown: its secret, or an assertion of somebody that the directory trusts. */
export type ClientProof = 'secret' | 'assertion';

const JWT_BEARER = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

/** What {@link authenticateClient} takes. */
export interface AuthenticationContext {
  readonly issuerKeys: IssuerKeys;
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
}

/** Whether the form of a token request proves that it comes from the application, and how. */
export async function authenticateClient(
  form: URLSearchParams,
  application: Application,
  { issuerKeys, now }: AuthenticationContext,
): Promise<ClientProof | ClientRefusal> {
  const { clientId, federatedCredentials: credentials } = application;
  const assertion = form.get('client_assertion');
  if (!assertion) return checkSecret(form.get('client_secret'), application) ?? 'secret';
  if (form.get('client_assertion_type') !== JWT_BEARER) {
    const text = `The request body must contain the following parameter: 'client_assertion_type' with the value '${JWT_BEARER}'.`;
    return { status: 400, error: 'invalid_request', code: 900144, text };
  }
  return (await checkAssertion(assertion, { clientId, credentials, issuerKeys, now })) ?? 'assertion';
}

function checkSecret(value: string | null, { clientId, passwords }: Application): ClientRefusal | undefined {
  const refusal = (code: number, text: string): ClientRefusal => ({ status: 401, error: 'invalid_client', code, text });
  if (!value) {
    return refusal(
      7000218,
      "The request body must contain the following parameter: 'client_assertion' or 'client_secret'.",
    );
  }
  switch (passwords.check(value)) {
    case 'accepted':
      return undefined;
    case 'expired':
      return refusal(7000222, `The provided client secret keys for app '${clientId}' are expired.`);
    case 'unknown':
      return refusal(
        7000215,
        `Invalid client secret provided. Ensure the secret being sent in the request is the client secret value, not the client secret ID, for a secret added to app '${clientId}'.`,
      );
  }
}
