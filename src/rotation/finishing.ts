import type { CloudConfiguration } from '../contract/index.js';
import { abandon, cleanUpOfSuperseded, inUse, noteDown } from './abandon.js';
import { isSameKey } from './directory.js';
import { cancelled, describeFailure, givenUp } from './failures.js';
import { cleanUpId, isSameCredential, newCredential } from './records.js';
import type { AddedRotation, OpenRotation, RotationRecord } from './records.js';
import { rotatable } from './stored-credential.js';
import type { RotationTools } from './tools.js';

/**
 * Where a step has led: on to the next one at once; to a pause because the directory does not accept the new secret yet
 * (`refused`) or has not removed the old one (`unremoved`); to the end.
 */
export type StepResult = 'next' | 'refused' | 'unremoved' | 'completed';

/**
 * Does the next step of a rotation whose new secret is known: steps 3 to 5. What is stored is read afresh, so that a crash, a
 * failed write or another node between two steps does no harm.
 */
export async function proceed(tools: RotationTools, attempt: AddedRotation): Promise<StepResult> {
  const record = await tools.store.rotation();
  const open = await ownedBy(tools, attempt, record);
  if (open === undefined) return 'completed';
  const isSwapped = isSameCredential(await rotatable(tools.root), newCredential(open));
  if (open.state === 'pending') return isSwapped ? promote(tools, open) : swap(tools, open);
  if (!isSwapped) return giveUp(tools, open, cancelled());
  return retire(tools, open);
}

/** The attempt as stored; `undefined` when another node has completed it. Throws when it is no longer the open one. */
async function ownedBy(
  tools: RotationTools,
  attempt: AddedRotation,
  record: RotationRecord,
): Promise<AddedRotation | undefined> {
  const { open } = record;
  if (open?.attempt === attempt.attempt && open.state !== 'adding') return open;
  if (record.attempt === attempt.attempt) return undefined;
  // Another node took over: what was added must not be forgotten, nor what it may have superseded already.
  await noteDown(tools, attempt);
  throw cancelled();
}

/** Steps 3 and 4: tries the new secret, and puts it in the place of the old one. */
async function swap(tools: RotationTools, open: AddedRotation): Promise<StepResult> {
  const { store, root, clock, logger } = tools;
  const isChanged = !isSameCredential(await rotatable(root), open.credential);
  if (isChanged || (await store.cleanUp(cleanUpId(open))) !== undefined) return giveUp(tools, open, cancelled());
  if (clock.now() >= open.expiresAt) {
    logger.error('the new client secret expired before the directory accepted it', { attempt: open.attempt });
    return giveUp(tools, open, givenUp());
  }
  if (!(await isAccepted(tools, open))) {
    if (!(await isGone(tools, open))) return 'refused';
    logger.error('the new client secret is gone from the directory', { attempt: open.attempt, keyId: open.keyId });
    return giveUp(tools, open, givenUp());
  }
  if (!isSameState((await store.rotation()).open, open)) return 'next';
  // Refused when the configuration is newer than what was read of it: then it is looked at again, after a pause.
  if (!(await root.replaceSecret(open.credential, open.secret))) return 'refused';
  return promote(tools, open);
}

async function isAccepted({ root, directory, logger }: RotationTools, open: AddedRotation): Promise<boolean> {
  const configuration = await root.withCredential(newCredential(open));
  try {
    return await directory.accepts(configuration);
  } catch (error) {
    logger.debug('the new client secret could not be tried', { attempt: open.attempt, ...describeFailure(error) });
    return false;
  }
}

/** Whether a secret that is refused is not only late. */
async function isGone({ root, directory, clock, timing }: RotationTools, open: AddedRotation): Promise<boolean> {
  if (clock.now() - open.startedAt <= timing.settling) return false;
  const configuration = await root.withCredential(open.credential);
  const listed = await directory.list(configuration).catch(() => undefined);
  return listed !== undefined && !listed.some(({ keyId }) => isSameKey(keyId, open.keyId));
}

/** The configuration holds the new secret. */
async function promote({ store, logger }: RotationTools, open: AddedRotation): Promise<StepResult> {
  const record = await store.rotation();
  if (!isSameState(record.open, open)) return 'next';
  await store.writeRotation({ ...record, open: { ...open, state: 'promoting' } });
  logger.info('root rotation: the new client secret is in use', { attempt: open.attempt, keyId: open.keyId });
  return 'next';
}

/** Step 5: removes the superseded credential, and only that one. */
async function retire(tools: RotationTools, open: AddedRotation): Promise<StepResult> {
  const { store, clock, logger } = tools;
  const { attempt, keyId, superseded } = open;
  const configuration = await tools.root.withCredential(newCredential(open));
  let found: string | undefined;
  let isRemoved = true;
  try {
    if (superseded.keyId !== undefined) isRemoved = await tools.directory.remove(superseded.keyId, configuration);
    else found = await findByHint(tools, open, configuration);
  } catch (error) {
    logger.warn('the superseded client secret could not be removed', { attempt, ...describeFailure(error) });
    return 'unremoved';
  }
  const { open: current, ...closed } = await store.rotation();
  if (!isSameState(current, open)) return 'next';
  if (found !== undefined) {
    // By key id from here on: after a crash, the hint could be that of somebody else's credential.
    await store.writeRotation({ ...closed, open: { ...open, superseded: { ...superseded, keyId: found } } });
    return 'next';
  }
  if (superseded.keyId !== undefined && !isRemoved) {
    // Gone, or so new that the directory does not show it yet.
    const cleanUp = cleanUpOfSuperseded(open, superseded.keyId, closed, clock.now());
    await store.writeCleanUp(superseded.keyId, cleanUp);
  }
  await store.writeRotation({ ...closed, ...inUse(open), attempt, lastRotation: clock.now() });
  logger.info('root rotation completed', { attempt, keyId, expiresAt: new Date(open.expiresAt).toISOString() });
  return 'completed';
}

/** The key id of the one credential other than the new one that has the hint. */
async function findByHint(
  { directory, logger }: RotationTools,
  { attempt, keyId, superseded: { hint } }: AddedRotation,
  configuration: CloudConfiguration,
): Promise<string | undefined> {
  const listed = await directory.list(configuration);
  const matching = listed.filter((credential) => credential.hint === hint && !isSameKey(credential.keyId, keyId));
  if (matching.length === 1) return matching[0]?.keyId;
  logger.warn('the superseded client secret stays in the directory: it cannot be told from others', {
    attempt,
    matching: matching.length,
  });
  return undefined;
}

/** Nothing of the attempt stays but the note of what must go. */
async function giveUp(tools: RotationTools, open: AddedRotation, reason: Error): Promise<never> {
  await abandon(tools, open);
  throw reason;
}

function isSameState(stored: OpenRotation | undefined, open: AddedRotation): boolean {
  return stored?.attempt === open.attempt && stored.state === open.state;
}
