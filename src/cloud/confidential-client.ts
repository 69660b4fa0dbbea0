import type { CloudConfiguration } from '../contract/index.js';
import type { TokenSource } from './credential.js';
import type { Failures } from './failures.js';
import { DirectoryNetwork } from './msal-network.js';
import type { Send } from './retry.js';

/** What an application shows to the directory: its client secret, or an assertion that somebody it trusts has signed. Secret. */
export type ApplicationProof = { readonly clientSecret: string } | { readonly clientAssertion: string };

/** Ways to the directory. */
export interface DirectoryAccess {
  readonly send: Send;
  readonly failures: Failures;
}

/**
 * Gets access tokens for one scope as an application (spec 5.4).
 *
 * @param scope - for instance `https://management.azure.com/.default`
 * @param prove - called for each token; an `AuthMethodError` that it rejects with is passed on
 */
export function confidentialClientSource(
  configuration: CloudConfiguration,
  clientId: string,
  prove: () => Promise<ApplicationProof>,
  scope: string,
  { send, failures }: DirectoryAccess,
): TokenSource {
  const { environment } = configuration;
  return async (signal) => {
    const auth = { clientId, ...(await prove()), ...authorityOf(configuration) };
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
