import { randomUUID } from 'node:crypto';
import { AuthMethodError } from '../contract/index.js';
import type { NewPassword, RootCredential } from '../contract/index.js';
import { abandon, cleanUpOf } from './abandon.js';
import { cancelled, describeFailure, isRefusal } from './failures.js';
import { ATTEMPT_PREFIX, cleanUpId, digestOf } from './records.js';
import type { AddedRotation, AddingRotation, RotationRecord, Superseded } from './records.js';
import type { RotationTools } from './tools.js';

/** Left-over credentials to put up with: each attempt that meets an outage may leave one. */
const MAX_CLEAN_UPS = 100;

/** First characters of a secret that the directory shows. */
const HINT_LENGTH = 3;

/**
 * Goes on with the rotation that is open, if there is one past the point where its secret is known. One that is not is
 * abandoned: its secret is lost.
 */
export async function resume(tools: RotationTools): Promise<AddedRotation | undefined> {
  const { open } = await tools.store.rotation();
  if (open?.state === 'adding') await abandon(tools, open);
  return open?.state === 'adding' ? undefined : open;
}

/**
 * Steps 1 and 2: makes a new secret and stores it as `pending`. Whatever fails, the secret in use stays what it was.
 *
 * @param closing - aborted when nothing may be written any more
 */
export async function begin(tools: RotationTools, closing: AbortSignal): Promise<AddedRotation> {
  const { store, root, clock, logger } = tools;
  const resumed = await resume(tools);
  if (resumed !== undefined) return resumed;

  const credential = await root.credential();
  const configuration = await root.withCredential(credential);
  if ((await store.cleanUpIds()).length >= MAX_CLEAN_UPS) {
    throw new AuthMethodError(
      'provider_unavailable',
      'Credentials of too many failed rotations are still to be removed.',
    );
  }
  const record = await store.rotation();
  const startedAt = clock.now();
  const open: AddingRotation = {
    state: 'adding',
    attempt: ATTEMPT_PREFIX + randomUUID(),
    startedAt,
    expiresAt: startedAt + (await root.secretTtl()) * 1000,
    credential,
    superseded: describeSuperseded(record, credential),
  };
  await store.writeRotation({ ...record, open });
  logger.info('root rotation started', { attempt: open.attempt });

  let added: NewPassword;
  try {
    added = await tools.directory.add(open.attempt, open.expiresAt, configuration);
  } catch (error) {
    if (!closing.aborted) await withdraw(tools, open, error);
    throw error;
  }
  return keep(tools, { ...open, ...added, state: 'pending' });
}

function describeSuperseded({ keyId, secretDigest }: RotationRecord, { clientSecret }: RootCredential): Superseded {
  const isOurs = keyId !== undefined && secretDigest === digestOf(clientSecret);
  return isOurs ? { keyId } : { hint: clientSecret.slice(0, HINT_LENGTH) };
}

/** After a failed call that may have added a credential all the same, unless the directory refused it. */
async function withdraw(tools: RotationTools, open: AddingRotation, error: unknown): Promise<void> {
  if (!isRefusal(error)) {
    await abandon(tools, open);
    return;
  }
  const { open: current, ...closed } = await tools.store.rotation();
  if (current?.attempt === open.attempt) await tools.store.writeRotation(closed);
}

/** Stores a secret just made. */
async function keep(tools: RotationTools, open: AddedRotation): Promise<AddedRotation> {
  const { store, clock, logger } = tools;
  const record = await store.rotation();
  if (record.open?.attempt !== open.attempt) {
    // Another node took over, and does not know the key id.
    await store.writeCleanUp(cleanUpId(open), cleanUpOf(open, clock.now()));
    throw cancelled();
  }
  try {
    await store.writeRotation({ ...record, open });
  } catch (error) {
    // Nothing is removed before storage says so: what it holds now may be either state, and both are safe to go on from.
    await abandon(tools, open).catch((failure: unknown) => {
      logger.warn('root rotation could not be abandoned', { attempt: open.attempt, ...describeFailure(failure) });
    });
    throw error;
  }
  logger.info('root rotation pending: the new client secret is stored, and tried until the directory accepts it', {
    attempt: open.attempt,
    keyId: open.keyId,
    expiresAt: new Date(open.expiresAt).toISOString(),
  });
  return open;
}
