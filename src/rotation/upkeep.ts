import { abandon } from './abandon.js';
import { describeFailure } from './failures.js';
import { digestOf, isSameApplication, isSameCredential } from './records.js';
import { CLOCK_TOLERANCE } from './schedule.js';
import { rotatable } from './stored-credential.js';
import type { RotationTools } from './tools.js';

/**
 * Before other credentials are stored: abandons the rotation that is open. Resolves to its attempt, or to `undefined` when
 * there was none.
 */
export async function cancelOpen(tools: RotationTools): Promise<string | undefined> {
  const { open } = await tools.store.rotation();
  if (open !== undefined) await abandon(tools, open);
  await passOnCredential(tools);
  return open?.attempt;
}

/** What earlier attempts have left can only be removed with credentials that work: those that are about to be forgotten do. */
async function passOnCredential({ store, root, logger }: RotationTools): Promise<void> {
  const stored = await rotatable(root);
  if (stored === undefined) return;
  for (const id of await store.cleanUpIds()) {
    // One that cannot be read must not keep an operator from storing a secret that works.
    const cleanUp = await store.cleanUp(id).catch((error: unknown) => {
      logger.warn('a clean-up does not learn of the credentials in use', { cleanUp: id, ...describeFailure(error) });
      return undefined;
    });
    const credentials = cleanUp?.credentials.filter((credential) => isSameApplication(credential, stored)) ?? [];
    if (cleanUp === undefined || credentials.length === 0) continue;
    if (credentials.some((credential) => isSameCredential(credential, stored))) continue;
    await store.writeCleanUp(id, { ...cleanUp, credentials: [stored, ...cleanUp.credentials] });
  }
}

/**
 * After other credentials were stored: forgets the key id of the last rotation, unless its secret is still stored. Never rejects.
 *
 * @param stays - whether the secret of that key id stays in the directory
 */
export async function forgetKey({ store, root, logger }: RotationTools, stays: boolean): Promise<void> {
  try {
    const { keyId, expiresAt = 0, secretDigest, ...rest } = await store.rotation();
    if (keyId === undefined || secretDigest === undefined) return;
    const stored = await rotatable(root);
    if (stored !== undefined && digestOf(stored.clientSecret) === secretDigest) return;
    await store.writeRotation(rest);
    if (!stays) return;
    logger.info(
      'the client secret of the last rotation is not in use any more; it stays in the directory until it expires',
      {
        keyId,
        expiresAt: new Date(expiresAt).toISOString(),
      },
    );
  } catch (error) {
    // The digest tells as much when it is needed.
    logger.warn('the key id of the former client secret is still stored', describeFailure(error));
  }
}

/** Takes a last rotation in the future for one of now: the clock has been set back since. */
export async function correctLastRotation({ store, logger }: RotationTools, now: number): Promise<void> {
  const record = await store.rotation();
  if (record.lastRotation === undefined || record.lastRotation <= now + CLOCK_TOLERANCE) return;
  logger.warn('the last root rotation is in the future: the clock has been set back; counting from now', {
    lastRotation: new Date(record.lastRotation).toISOString(),
  });
  await store.writeRotation({ ...record, lastRotation: now });
}
