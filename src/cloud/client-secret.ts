import { AuthMethodError } from '../contract/index.js';
import type { CloudConfiguration } from '../contract/index.js';
import type { TokenSource } from './credential.js';
import type { Failures } from './failures.js';
import { DirectoryNetwork } from './msal-network.js';
import type { Send } from './retry.js';

/**
 * Gets access tokens for one scope with the configured client secret (spec 5.4).
 *
 * @param scope - for instance `https://management.azure.com/.default`
 * @throws `not_configured` when the configuration has no client id or no client secret.
 */
export function clientSecretSource(
  configuration: CloudConfiguration,
  scope: string,
  send: Send,
  failures: Failures,
): TokenSource {
  const { clientId, clientSecret, environment } = configuration;
  if (!clientId || !clientSecret) {
    throw new AuthMethodError(
      'not_configured',
      'The role asks the cloud about the caller, for which client_id and client_secret must be configured.',
      { field: clientId ? 'client_secret' : 'client_id' },
    );
  }
  const auth = { clientId, clientSecret, ...authorityOf(configuration) };

  return async (signal) => {
    const { ConfidentialClientApplication } = await import('@azure/msal-node');
    const network = new DirectoryNetwork({ send, failures, signal, ca: environment.ca });
    // A new application each time: one that met a 429 or 5xx would answer from its memory for a minute and more.
    const application = new ConfidentialClientApplication({ auth, system: { networkClient: network } });
    const token = await application.acquireTokenByClientCredential({ scopes: [scope] }).catch((error: unknown) => {
      throw network.failure ?? error;
    });

    if (token === null) throw new Error('no token in spite of an answer with one');
    return { value: token.accessToken, lifetime: network.lifetime };
  };
}

/** Tells the library all that it would otherwise ask the directory's discovery for. */
function authorityOf({ environment, tenantId }: CloudConfiguration): {
  authority: string;
  knownAuthorities: string[];
  authorityMetadata: string;
} {
  const authority = `${environment.authorityHost}/${encodeURIComponent(tenantId)}`;
  const metadata = {
    issuer: `${authority}/v2.0`,
    authorization_endpoint: `${authority}/oauth2/v2.0/authorize`,
    token_endpoint: `${authority}/oauth2/v2.0/token`,
    jwks_uri: `${authority}/discovery/v2.0/keys`,
  };
  return {
    authority,
    knownAuthorities: [new URL(authority).host],
    authorityMetadata: JSON.stringify(metadata),
  };
}
