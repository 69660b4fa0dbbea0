import { AuthMethodError } from '../../contract/index.js';

/** A refusal to open a directory, or a file that is not what was stored. */
export function storageFailed(message: string, cause?: unknown): AuthMethodError {
  return new AuthMethodError('storage_failed', `storage: ${message}`, { cause });
}

/** Why a call of the system failed: `ENOSPC`, with the path where the system names one. */
export function reasonOf(error: unknown): string {
  const code = codeOf(error);
  if (code === undefined) return 'unexpected error';
  const { path } = error as { path?: unknown };
  return typeof path === 'string' ? `${code} at ${path}` : code;
}

/** Whether a failure of the system has one of these codes. */
export function failedWith(error: unknown, ...codes: readonly string[]): boolean {
  return codes.includes(codeOf(error) ?? '');
}

/** Whether a failure says that nothing has this name. A name that is too long for the disk was never given to anything. */
export function isMissing(error: unknown): boolean {
  return failedWith(error, 'ENOENT', 'ENAMETOOLONG');
}

/** The outcome of an operation; undefined when what it works on is missing. */
export async function ifThere<T>(operation: Promise<T>): Promise<T | undefined> {
  try {
    return await operation;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** Runs an operation that makes something, which may be there already. */
export async function unlessThere(operation: Promise<unknown>): Promise<void> {
  try {
    await operation;
  } catch (error) {
    if (!failedWith(error, 'EEXIST')) throw error;
  }
}

/** Not by `instanceof`: errors of Node may belong to another realm than ours. */
function codeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
