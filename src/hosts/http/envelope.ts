import type { GrantedAuth, HostAnswer } from '../core/index.js';

/** The JSON body of an answer, in wire spelling. */
export function toEnvelope(requestId: string, answer: HostAnswer): Readonly<Record<string, unknown>> {
  if (answer.whole !== undefined) return answer.whole;
  return {
    ...answer.beside,
    request_id: requestId,
    lease_id: '',
    renewable: false,
    lease_duration: 0,
    data: answer.data ?? null,
    wrap_info: null,
    warnings: answer.warnings ?? null,
    auth: answer.auth ? describeAuth(answer.auth) : null,
  };
}

function describeAuth(auth: GrantedAuth): Readonly<Record<string, unknown>> {
  return {
    client_token: auth.clientToken,
    accessor: auth.accessor,
    policies: auth.policies,
    token_policies: auth.policies,
    metadata: auth.metadata,
    lease_duration: auth.leaseDuration,
    renewable: auth.renewable,
    entity_id: auth.entityId,
    token_type: auth.tokenType,
    orphan: auth.orphan,
    mfa_requirement: null,
    num_uses: auth.numUses,
  };
}
