import { AuthMethodError } from '../../contract/index.js';
import type { HostAnswer } from './host-request.js';
import type { IdentityTokens } from './identity-tokens.js';
import type { Route } from './route.js';

/** Finds the route of a path below `identity/oidc/plugins/`: what a directory reads to check identity tokens. Open to all. */
export function identityRoute(path: string, tokens: IdentityTokens): Route | undefined {
  if (path === '.well-known/openid-configuration') return open(() => tokens.openIdConfiguration());
  if (path === '.well-known/keys') return open(() => tokens.keySet());
  return undefined;
}

type Document = Record<string, unknown> | undefined;

function open(document: () => Document | Promise<Document>): Route {
  return {
    access: 'open',
    serve: async ({ operation }): Promise<HostAnswer | undefined> => {
      if (operation !== 'read')
        throw new AuthMethodError('unsupported_operation', `this path does not take ${operation}`);
      const whole = await document();
      return whole && { whole };
    },
  };
}
