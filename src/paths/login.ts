import { AuthMethodError } from '../contract/index.js';
import type { Auth, CloudConfiguration, CloudLookups, Logger, Response, TokenValidator } from '../contract/index.js';
import { definePath } from '../framework/path.js';
import type { PathDefinition } from '../framework/path.js';
import type { CloudFacts, SourceFacts, TokenFacts } from '../login/facts.js';
import { enforce } from '../login/rule.js';
import { CLOUD_RULES, SOURCE_RULES, TOKEN_RULES } from '../login/rules.js';
import { tokenFacts } from '../login/token-facts.js';
import { verifiedMetadata } from '../login/verified-metadata.js';
import { CloudInquiry } from './cloud-facts.js';
import type { ConfigStore } from './config-store.js';
import { LOGIN_FIELDS, toLoginRequest, unknownRole } from './login-request.js';
import type { ProviderDeadline } from './provider-deadline.js';
import type { Role } from './role-record.js';
import type { RoleStore } from './role-store.js';

/** What the login path works with. */
export interface LoginDependencies {
  readonly config: ConfigStore;
  readonly roles: RoleStore;
  readonly tokenValidator: TokenValidator;
  readonly cloudLookups: CloudLookups;
  readonly logger: Logger;
  readonly providerDeadline: ProviderDeadline;
}

/** `login`: a machine proves who it is and gets a service token (spec 4.7). */
export function loginPath(dependencies: LoginDependencies): PathDefinition {
  const { roles, logger } = dependencies;
  return definePath({
    pattern: 'login',
    fields: LOGIN_FIELDS,
    unauthenticated: true,
    operations: {
      write: {
        summary: 'Log in.',
        handle: async ({ values, request }) => {
          // The reader has made sure of both.
          const { role: roleName = '', jwt = '' } = values;
          const role = await roles.get(roleName);
          if (role === undefined) throw unknownRole();
          try {
            enforce(SOURCE_RULES, { role: role.constraints, remoteAddress: request.remoteAddress });
            const facts = await gatherFacts(dependencies, role, jwt, toLoginRequest(values), request.remoteAddress);
            return { auth: grant(role, facts) };
          } catch (error) {
            if (error instanceof AuthMethodError && error.rule !== undefined) {
              logger.info('login refused', {
                request_id: request.id,
                role: role.name,
                rule: error.rule,
                code: error.code,
              });
            }
            throw error;
          }
        },
      },
      renew: {
        summary: 'Renew a token of a login.',
        handle: async ({ request }) => renew(roles, request.auth),
      },
      'resolve-role': {
        summary: 'Name the role of a login.',
        handle: async ({ values: { role: name = '' } }) => {
          const role = await roles.get(name);
          if (role === undefined) throw unknownRole();
          return { data: { role: role.name } };
        },
      },
    },
    help: {
      synopsis: 'Logs a machine in with its identity token.',
      description:
        'role and jwt are always required. Roles that are bound to subscriptions, resource groups, locations or scale sets also need ' +
        'subscription_id, resource_group_name and the name of the machine, all from the instance metadata service.',
    },
  });
}

/** Decides with the configuration in force, also when that changes meanwhile. Returns what was established. */
async function gatherFacts(
  dependencies: LoginDependencies,
  role: Role,
  jwt: string,
  request: TokenFacts['request'],
  remoteAddress: string | undefined,
): Promise<TokenFacts | CloudFacts> {
  const { config, providerDeadline } = dependencies;
  const source = { role: role.constraints, remoteAddress };
  const signal = providerDeadline.signal();
  const configuration = await config.inForce();
  try {
    return await decide(dependencies, configuration, source, jwt, request, signal);
  } catch (error) {
    if (!(error instanceof AuthMethodError) || error.code !== 'not_configured') throw error;
    const latest = await config.inForce();
    if (latest === configuration) throw error;
    // Its credentials were replaced, by root rotation or an operator, and are refused by now.
    return decide(dependencies, latest, source, jwt, request, signal);
  }
}

/** Verifies the token, asks the cloud where the role demands it, and applies the rules. */
async function decide(
  { tokenValidator, cloudLookups }: LoginDependencies,
  configuration: CloudConfiguration,
  source: SourceFacts,
  jwt: string,
  request: TokenFacts['request'],
  signal: AbortSignal,
): Promise<TokenFacts | CloudFacts> {
  const claims = await tokenValidator.validate(jwt, configuration, signal);
  const facts = tokenFacts(source, request, claims);
  enforce(TOKEN_RULES, facts);
  if (!CloudInquiry.isNeeded(facts)) return facts;
  const cloudFacts = await new CloudInquiry(cloudLookups, configuration, signal).facts(facts);
  enforce(CLOUD_RULES, cloudFacts);
  return cloudFacts;
}

function grant(role: Role, facts: TokenFacts | CloudFacts): Auth {
  const { objectId, groups = [] } = facts.claims;
  const metadata = verifiedMetadata(facts);
  return {
    ...role.granted,
    displayName: objectId,
    alias: { name: objectId, metadata },
    groupAliases: [...new Set(groups)].filter((name) => name !== '').map((name) => ({ name, metadata: {} })),
    metadata: { role: role.name, ...metadata },
  };
}

async function renew(roles: RoleStore, auth: Auth | undefined): Promise<Response> {
  if (auth === undefined) throw new AuthMethodError('internal', 'the host renewed a login without its auth');
  const { role: name } = auth.internalData;
  const role = name === undefined ? undefined : await roles.get(name);
  if (role === undefined) throw refuseRenewal('the role of the token no longer exists');
  if (role.granted.internalData['policies'] !== auth.internalData['policies']) {
    throw refuseRenewal('the policies of the role have changed since the login; log in again');
  }
  // Not the hard cap: it counts from the login and was fixed there.
  return { auth: { ...auth, ...role.renewedLimits } };
}

function refuseRenewal(sentence: string): AuthMethodError {
  return new AuthMethodError('login_denied', sentence, { rule: 'renewal' });
}
