import { AuthMethodError, isAddressBlock } from '../contract/index.js';
import type { CloudConfiguration, CloudLookups, IdentityClaims, TokenValidator } from '../contract/index.js';
import { stringField } from '../framework/field.js';
import { definePath } from '../framework/path.js';
import type { PathDefinition } from '../framework/path.js';
import { verifiedToken } from '../login/evidence.js';
import { Examination } from '../login/examine.js';
import type { AppliedRules } from '../login/examine.js';
import type { CloudFacts, SourceFacts, TokenFacts } from '../login/facts.js';
import { CLOUD_RULES, SOURCE_RULES, TOKEN_RULES } from '../login/rules.js';
import { tokenFacts } from '../login/token-facts.js';
import { CloudInquiry } from './cloud-facts.js';
import { LOGIN_FIELDS, toLoginRequest, unknownRole } from './login-request.js';
import type { LoginDependencies } from './login.js';

const EXPLAIN_FIELDS = {
  ...LOGIN_FIELDS,
  source_address: stringField({
    description: 'IP address that the login would come from; by default the one that this request comes from.',
    takes: 'an IP address',
    accepts: (text) => isAddressBlock(text) && !text.includes('/'),
  }),
};

/** `login/explain`: what every rule says of a login, for operators. It gives no token. */
export function loginExplainPath(dependencies: LoginDependencies): PathDefinition {
  return definePath({
    pattern: 'login/explain',
    fields: EXPLAIN_FIELDS,
    operations: {
      write: {
        summary: 'Say of every rule what became of it, without logging in.',
        handle: async ({ values, request }) => {
          const role = await dependencies.roles.get(values.role ?? '');
          if (role === undefined) throw unknownRole();
          const source = { role: role.constraints, remoteAddress: values.source_address || request.remoteAddress };
          const data = await explain(dependencies, source, values.jwt ?? '', toLoginRequest(values));
          return { data };
        },
      },
    },
    help: {
      synopsis: 'Explains what the rules say of a login.',
      description:
        'Takes the body of a login. Lists every rule in order: passed, failed, not needed or not reached. Of the rules that were ' +
        'applied, it shows what the login showed and what the rule wants.',
    },
  });
}

/** An outage ends the explanation where it struck, and is named in `error`. */
async function explain(
  { config, tokenValidator, cloudLookups, providerDeadline }: LoginDependencies,
  source: SourceFacts,
  jwt: string,
  request: TokenFacts['request'],
): Promise<Record<string, unknown>> {
  const configuration = await config.inForce();
  const signal = providerDeadline.signal();
  const examination = new Examination();
  let error: string | undefined;
  const attempt = async <T>(work: () => Promise<T>): Promise<T | undefined> => {
    if (!examination.goesOn || error !== undefined) return undefined;
    try {
      return await work();
    } catch (reason) {
      if (!(reason instanceof AuthMethodError)) throw reason;
      error = reason.message;
      return undefined;
    }
  };

  examination.examine(SOURCE_RULES, source);
  const verified = await attempt(() => verify(tokenValidator, jwt, configuration, signal));
  examination.note(tokenValidator.rules, verified);
  const facts = verified?.claims && tokenFacts(source, request, verified.claims);
  examination.examine(TOKEN_RULES, facts);
  const cloudFacts = facts && (await attempt(() => askTheCloud(cloudLookups, facts, configuration, signal)));
  examination.examine(CLOUD_RULES, cloudFacts);
  const granted = cloudFacts !== undefined && examination.goesOn;
  return { granted, rules: examination.reports, ...(error !== undefined && { error }) };
}

async function verify(
  validator: TokenValidator,
  jwt: string,
  configuration: CloudConfiguration,
  signal: AbortSignal,
): Promise<AppliedRules & { readonly claims?: IdentityClaims }> {
  try {
    const claims = await validator.validate(jwt, configuration, signal);
    return { claims, evidence: verifiedToken(claims, configuration) };
  } catch (error) {
    if (!(error instanceof AuthMethodError) || error.code !== 'login_denied' || error.rule === undefined) throw error;
    return { refusedBy: error.rule, evidence: new Map([[error.rule, { seen: error.message }]]) };
  }
}

async function askTheCloud(
  lookups: CloudLookups,
  facts: TokenFacts,
  configuration: CloudConfiguration,
  signal: AbortSignal,
): Promise<CloudFacts> {
  if (!CloudInquiry.isNeeded(facts)) return { ...facts, confirmed: undefined, attached: [] };
  return new CloudInquiry(lookups, configuration, signal).facts(facts);
}
