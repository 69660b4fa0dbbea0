import type { Session } from './session.js';

/** Who may be in which groups. Values that are no object ids are nobody, and no groups. */
export interface MembershipQuestion {
  readonly objectId: string;
  readonly groupIds: readonly string[];
}

const OBJECT_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** The directory takes no more in one call. */
const MAX_GROUPS = 20;

/** Reads which of the groups a principal is in; they come in the spelling they were asked for. */
export async function readMemberGroups(
  session: Session,
  { objectId, groupIds }: MembershipQuestion,
  signal: AbortSignal,
): Promise<readonly string[]> {
  if (!OBJECT_ID.test(objectId)) return [];
  const askable = new Map(groupIds.filter((id) => OBJECT_ID.test(id)).map((id) => [id.toLowerCase(), id]));
  const answers = await Promise.all(
    portionsOf([...askable.keys()], MAX_GROUPS).map((ids) => session.graph.checkMemberGroups(objectId, ids, signal)),
  );
  const found = new Set(answers.flat().map((id) => id.toLowerCase()));
  return [...askable].filter(([id]) => found.has(id)).map(([, asked]) => asked);
}

function portionsOf<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );
}
