import { AuthMethodError } from '../contract/index.js';

/**
 * The rules that an identity token must pass, in the order in which they are checked (rules 3 of the login rules). A refusal
 * carries the name of the first one that failed.
 */
export const TOKEN_RULES = [
  'token-shape',
  'token-header',
  'token-key',
  'token-signature',
  'token-issuer',
  'token-tenant',
  'token-version',
  'token-audience',
  'token-expiry',
  'token-not-before',
  'token-issued-at',
  'token-principal',
  'token-application',
  'token-groups',
  'token-resource',
] as const;

/** Name of one rule. */
export type TokenRule = (typeof TOKEN_RULES)[number];

/** The error of a token that fails a rule. `message` is one sentence without any part of the token but its audience. */
export function refusal(rule: TokenRule, message: string): AuthMethodError {
  return new AuthMethodError('login_denied', message, { rule });
}
