import { createGraphClient } from './graph-client.js';
import type { GraphClientOptions } from './graph-client.js';
import { isRecord, isText } from './records.js';

/** What is asked of the directory beside access tokens. */
export interface Graph {
  /**
   * Which of at most 20 groups a principal is in, directly or through other groups.
   *
   * Rejects with `not_found` when there is no such principal. The ids must be GUIDs: nothing here encodes them.
   */
  checkMemberGroups(objectId: string, groupIds: readonly string[], signal: AbortSignal): Promise<readonly string[]>;
}

/** The questions of a login to the directory's graph. */
export function createGraph(options: Omit<GraphClientOptions, 'provider'>): Graph {
  const client = createGraphClient({ ...options, provider: 'graph' });
  return {
    async checkMemberGroups(objectId, groupIds, signal) {
      const answer = await client.post(`/directoryObjects/${objectId}/checkMemberGroups`, { groupIds }, signal);
      const ids: unknown = isRecord(answer) ? answer['value'] : undefined;
      if (!Array.isArray(ids) || !ids.every(isText)) throw new Error('groups that are no list of ids');
      return ids;
    },
  };
}
