import { AuthMethodError } from '../../contract/index.js';
import type { HostAnswer, HostOperation, HostRequest } from './host-request.js';
import { ADMIN_POLICY, ROOT_POLICY } from './policies.js';
import type { TokenRecord } from './token-record.js';

/** Who may use a path: anyone, any valid service token, or tokens that may administer the server. */
export type Access = 'open' | 'token' | 'admin';

/** A request whose sender is known and may do what it asks. */
export interface AdmittedRequest extends HostRequest {
  /** Secret. */
  readonly token: string;
  /** The sender's token. */
  readonly caller: TokenRecord;
}

type Answer = HostAnswer | undefined;
type Handler<R> = (request: R) => Answer | Promise<Answer>;

/** Where a request goes, and who may send it. */
export type Route =
  | { readonly access: 'open'; readonly serve: Handler<HostRequest> }
  | { readonly access: 'token' | 'admin'; readonly serve: Handler<AdmittedRequest> };

/** Handlers of a path by operation. */
export type Operations = Readonly<Partial<Record<HostOperation, Handler<AdmittedRequest>>>>;

/** The permission rule. Throws `permission_denied`. */
export function permit(access: 'token' | 'admin', caller: TokenRecord): void {
  if (access === 'admin' && !isAdmin(caller)) {
    throw new AuthMethodError('permission_denied', 'permission denied', { rule: 'admin_only' });
  }
}

/** Whether the token may administer the server. */
export function isAdmin({ policies }: TokenRecord): boolean {
  return policies.includes(ROOT_POLICY) || policies.includes(ADMIN_POLICY);
}

/** A route whose handler depends on the operation. One that is not there is refused with `unsupported_operation`. */
export function byOperation(access: 'token' | 'admin', operations: Operations): Route {
  return {
    access,
    serve: (request) => {
      const handler = operations[request.operation];
      if (handler === undefined) {
        throw new AuthMethodError('unsupported_operation', `this path does not take ${request.operation}`);
      }
      return handler(request);
    },
  };
}
