import { cleanUpId, digestOf, isSameCredential, newCredential } from './records.js';
import type { AddedRotation, CleanUp, OpenRotation, RotationRecord } from './records.js';
import { rotatable } from './stored-credential.js';
import type { RotationTools } from './tools.js';

/**
 * Ends an open rotation before it is complete. What it has added to the directory is noted down to go; the cleaner leaves it
 * alone for as long as the configuration holds it.
 *
 * The notes come first: while the rotation is open, their presence says that the rotation has been abandoned.
 */
export async function abandon(tools: RotationTools, open: OpenRotation): Promise<void> {
  const { store, logger } = tools;
  const isInUse = await noteDown(tools, open);
  const { open: current, ...closed } = await store.rotation();
  if (current?.attempt !== open.attempt) return;
  await store.writeRotation(isInUse && open.state !== 'adding' ? { ...closed, ...inUse(open) } : closed);
  logger.info('root rotation abandoned', { attempt: open.attempt, state: open.state });
}

/**
 * Notes down what an attempt that does not get to its end has added, and what it has superseded if its secret is in use.
 * Resolves to whether it is.
 */
export async function noteDown({ store, root, clock }: RotationTools, open: OpenRotation): Promise<boolean> {
  const isInUse = open.state !== 'adding' && isSameCredential(await rotatable(root), newCredential(open));
  await store.writeCleanUp(cleanUpId(open), cleanUpOf(open, clock.now()));
  const { keyId, hint } = open.superseded;
  // What somebody else made stays: whoever changes the configuration may want it back.
  if (isInUse && keyId !== undefined && hint === undefined) {
    await store.writeCleanUp(keyId, cleanUpOfSuperseded(open, keyId, await store.rotation(), clock.now()));
  }
  return isInUse;
}

/** What the record says of a secret once it is in use. */
export function inUse({ keyId, expiresAt, secret }: AddedRotation): RotationRecord {
  return { keyId, expiresAt, secretDigest: digestOf(secret) };
}

/** How to get rid of what an attempt has added. */
export function cleanUpOf(open: OpenRotation, since: number): CleanUp {
  const { attempt, credential, expiresAt: until } = open;
  if (open.state === 'adding') return { credentials: [credential], target: { attempt }, since, until };
  return {
    credentials: [credential, newCredential(open)],
    target: { keyId: open.keyId },
    secretDigest: digestOf(open.secret),
    since,
    until,
  };
}

/** How to get rid of the secret that an attempt has superseded. `record` is about that secret. */
export function cleanUpOfSuperseded(
  open: AddedRotation,
  keyId: string,
  record: RotationRecord,
  since: number,
): CleanUp {
  return {
    credentials: [newCredential(open), open.credential],
    target: { keyId },
    secretDigest: digestOf(open.credential.clientSecret),
    since,
    until: record.expiresAt ?? open.expiresAt,
  };
}
