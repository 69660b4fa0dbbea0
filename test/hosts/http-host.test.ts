import { createHttpHost } from '../../src/hosts/http/index.js';
import type { GrantedAuth } from '../../src/hosts/core/index.js';
import { runHostSuite } from './host-suite.js';
import type { CallOptions, Outcome } from './host-suite.js';

const REQUESTS = {
  write: { method: 'POST', query: '' },
  read: { method: 'GET', query: '' },
  delete: { method: 'DELETE', query: '' },
  list: { method: 'GET', query: '?list=true' },
  help: { method: 'GET', query: '?help=1' },
} as const;

interface WireAuth {
  client_token: string;
  accessor: string;
  policies: string[];
  metadata: Record<string, string>;
  lease_duration: number;
  renewable: boolean;
  entity_id: string;
  token_type: 'service' | 'batch';
  orphan: boolean;
  num_uses: number;
}

interface WireEnvelope {
  data?: Record<string, unknown> | null;
  auth?: WireAuth | null;
  warnings?: string[] | null;
}

runHostSuite('the HTTP host', async ({ factory, ...setup }) => {
  const host = await createHttpHost({
    ...setup,
    factories: { cloud: factory },
    mounts: [{ path: 'cloud', type: 'cloud' }],
  });
  const { url } = await host.listen();
  return {
    rootToken: host.rootToken,
    close: () => host.close(),
    call: async (operation, path, { data, token = host.rootToken }: CallOptions = {}): Promise<Outcome> => {
      const { method, query } = REQUESTS[operation];
      const response = await fetch(`${url}/v1/${path}${query}`, {
        method,
        headers: { ...(token !== null && { 'x-service-token': token }) },
        ...(operation === 'write' && { body: JSON.stringify(data ?? {}) }),
      });
      const text = await response.text();
      const envelope = (text === '' ? {} : JSON.parse(text)) as WireEnvelope;
      return {
        status: response.status,
        data: envelope.data ?? undefined,
        warnings: envelope.warnings ?? undefined,
        auth: envelope.auth ? fromWire(envelope.auth) : undefined,
      };
    },
  };
});

function fromWire(auth: WireAuth): GrantedAuth {
  return {
    clientToken: auth.client_token,
    accessor: auth.accessor,
    policies: auth.policies,
    metadata: auth.metadata,
    leaseDuration: auth.lease_duration,
    renewable: auth.renewable,
    entityId: auth.entity_id,
    tokenType: auth.token_type,
    orphan: auth.orphan,
    numUses: auth.num_uses,
  };
}
