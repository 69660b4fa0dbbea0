import { AuthMethodError } from '../contract/index.js';
import type { Clock, CloudConfiguration, CredentialKind, System } from '../contract/index.js';
import { readAssertionFile } from './assertion-file.js';
import { confidentialClientSource } from './confidential-client.js';
import type { ApplicationProof, DirectoryAccess } from './confidential-client.js';
import type { TokenSource } from './credential.js';
import { managedIdentitySource } from './managed-identity.js';
import { retrying } from './retry.js';

/** Where credentials come from beside the configuration. */
export interface CredentialSources {
  /** Absent: the host signs no identity tokens. */
  readonly generateIdentityToken?: System['generateIdentityToken'];
  /** Environment variables: those that workload identity sets in a pod. Default: none. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** What a source of access tokens is made of. */
export interface CredentialOptions extends DirectoryAccess, CredentialSources {
  readonly clock: Clock;
}

/**
 * Gets access tokens for one audience (spec 5.4): with the pinned kind of credential, or else the first that there is of client
 * secret, plugin identity token, workload identity of the pod, managed identity of the machine.
 *
 * @param audience - for instance `https://management.azure.com`
 * @throws `not_configured` when the pinned kind lacks something, `capability_missing` when the host signs no identity tokens.
 */
export function credentialSource(
  configuration: CloudConfiguration,
  audience: string,
  options: CredentialOptions,
): TokenSource {
  const { clientId, clientSecret, identityToken } = configuration;
  const asApplication = (id: string, prove: () => Promise<ApplicationProof>): TokenSource =>
    confidentialClientSource(configuration, id, prove, `${audience}/.default`, options);

  switch (configuration.credentialKind ?? firstKind(configuration, options)) {
    case 'root_creds':
      if (!clientId || !clientSecret) throw lacking('root_creds', 'client_id and client_secret');
      return asApplication(clientId, () => Promise.resolve({ clientSecret }));
    case 'plugin_wif': {
      if (!clientId || !identityToken) throw lacking('plugin_wif', 'client_id and identity_token_audience');
      const sign = identityTokenSigner(identityToken, options);
      return asApplication(clientId, async () => ({ clientAssertion: await sign() }));
    }
    case 'aks_wi': {
      const { AZURE_FEDERATED_TOKEN_FILE: file, AZURE_CLIENT_ID: podId } = options.env ?? {};
      const id = clientId ?? podId;
      if (!file || !id) {
        throw lacking(
          'aks_wi',
          'the variable AZURE_FEDERATED_TOKEN_FILE, and client_id or the variable AZURE_CLIENT_ID',
        );
      }
      return asApplication(id, async () => ({ clientAssertion: await readAssertionFile(file) }));
    }
    case 'msi':
      return managedIdentitySource({
        clientId,
        resource: audience,
        repeating: (send) => retrying({ send }, options.clock, configuration),
        failures: options.failures,
      });
  }
}

function firstKind(
  { clientId, clientSecret, identityToken }: CloudConfiguration,
  { env = {} }: CredentialSources,
): CredentialKind {
  if (clientId && clientSecret) return 'root_creds';
  if (identityToken) return 'plugin_wif';
  return env['AZURE_FEDERATED_TOKEN_FILE'] ? 'aks_wi' : 'msi';
}

/** How to get an identity token of the host. Throws `capability_missing` when it signs none. */
function identityTokenSigner(
  { audience, ttl }: NonNullable<CloudConfiguration['identityToken']>,
  { generateIdentityToken }: CredentialSources,
): () => Promise<string> {
  if (generateIdentityToken === undefined) {
    throw new AuthMethodError('capability_missing', 'identity_token_audience: this host signs no identity tokens', {
      field: 'identity_token_audience',
    });
  }
  return async () => {
    try {
      return (await generateIdentityToken(audience, ttl)).token;
    } catch (error) {
      if (error instanceof AuthMethodError) throw error;
      throw new AuthMethodError('provider_unavailable', 'This host did not sign an identity token.', { cause: error });
    }
  };
}

function lacking(kind: CredentialKind, what: string): AuthMethodError {
  return new AuthMethodError('not_configured', `auth_type: "${kind}" needs ${what}`, { field: 'auth_type' });
}
