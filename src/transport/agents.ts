import { LRUCache } from 'lru-cache';
import { Agent } from 'undici';
import { OutboundError } from '../contract/index.js';

/** Trust stores in use at once, far above what one process needs. The least recently used one's sockets are closed. */
const MAX_TRUST_STORES = 16;

/** Keep-alive connections, kept apart by the certificates that they trust. */
export class Agents {
  readonly #agents: LRUCache<string, Agent>;
  readonly #options: Agent.Options;
  #destroyed = false;

  /** `maxSockets` is per origin, `maxBodyBytes` per answer. */
  constructor(maxSockets: number, maxBodyBytes: number) {
    this.#options = { connections: maxSockets, maxResponseSize: maxBodyBytes };
    this.#agents = new LRUCache({
      max: MAX_TRUST_STORES,
      dispose: (agent, _, reason) => {
        // Exchanges in flight may finish; the signals of their callers bound how long that takes.
        if (reason === 'evict') void agent.close();
      },
    });
  }

  /** The agent that trusts `ca` (PEM), or the process's own trust store without one. */
  trusting(ca: string | undefined): Agent {
    if (this.#destroyed) throw new OutboundError('aborted', 'The transport is closed.');
    const key = ca ?? '';
    let agent = this.#agents.get(key);
    if (agent === undefined) {
      // Explicit, so that NODE_TLS_REJECT_UNAUTHORIZED cannot switch verification off.
      const connect = { rejectUnauthorized: true, ...(ca === undefined ? {} : { ca }) };
      agent = new Agent({ ...this.#options, connect });
      this.#agents.set(key, agent);
    }
    return agent;
  }

  /** Ends all connections, busy or not, for good. May be called twice. */
  async destroy(): Promise<void> {
    this.#destroyed = true;
    await Promise.all([...this.#agents.values()].map((agent) => agent.destroy()));
  }
}
