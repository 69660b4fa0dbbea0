/** Which of the directory's two endpoints issued a token. They have issuers and key sets of their own. */
export type TokenVersion = 'v1' | 'v2';

/** How the two versions tell themselves apart. */
export const TOKEN_VERSIONS = {
  v1: { discoveryPath: '.well-known/openid-configuration', claim: '1.0', applicationClaim: 'appid' },
  v2: { discoveryPath: 'v2.0/.well-known/openid-configuration', claim: '2.0', applicationClaim: 'azp' },
} as const satisfies Record<TokenVersion, { discoveryPath: string; claim: string; applicationClaim: string }>;

/** The version that an issuer speaks for. The issuer may be unverified: it only selects what the token is held against. */
export function versionOfIssuer(issuer: unknown): TokenVersion {
  return typeof issuer === 'string' && issuer.endsWith('/v2.0') ? 'v2' : 'v1';
}
