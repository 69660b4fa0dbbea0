import { AuthMethodError } from '../../contract/index.js';
import { TOKEN_SYNTAX } from '../core/index.js';

const BEARER = /^bearer +(.*)$/i;

/**
 * Finds the service token of a request (spec 5.1): in `X-Service-Token`, in `Authorization: Bearer`, and, for clients of
 * other servers, in `X-Vault-Token`.
 *
 * @throws AuthMethodError `invalid_request` when two different ones are given: proxies and servers must not disagree on whose
 * request it is
 */
export function readServiceToken(headers: Headers, vaultHeaders: boolean): string | undefined {
  const given = [
    headers.get('x-service-token'),
    BEARER.exec(headers.get('authorization') ?? '')?.[1],
    vaultHeaders ? headers.get('x-vault-token') : undefined,
  ];
  const tokens = new Set(given.map((token) => token?.trim()).filter((token) => token !== undefined && token !== ''));
  if (tokens.size > 1) throw new AuthMethodError('invalid_request', 'the request carries different service tokens');
  const [token] = tokens;
  if (token !== undefined && !TOKEN_SYNTAX.test(token)) {
    throw new AuthMethodError('invalid_request', 'the service token holds characters that no token has');
  }
  return token;
}
