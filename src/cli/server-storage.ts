import { AuthMethodError } from '../contract/index.js';
import { FileStorage, readStorageKey } from '../storage/index.js';
import { CommandFailure } from './command-failure.js';

/** Name of the variable that may hold the key of the storage. */
const KEY_VARIABLE = 'CLOUD_IDENTITY_AUTH_STORAGE_KEY';
const SCHEME = 'file:';

/** Options of the command `server` that say where it keeps things. */
export interface StorageOptions {
  /** Keeps everything in memory. */
  readonly dev?: true;
  /** `file:` and a directory. */
  readonly storage?: string;
  /** Default: the variable holds the key. */
  readonly storageKeyFile?: string;
}

/**
 * Opens the storage that the options name; `undefined` = memory.
 * @throws CommandFailure when they do not name exactly one, or it cannot be opened with that key.
 */
export async function openStorage(
  { dev, storage, storageKeyFile }: StorageOptions,
  env: Readonly<Record<string, string | undefined>>,
): Promise<FileStorage | undefined> {
  if (dev) {
    if (storage !== undefined || storageKeyFile !== undefined)
      throw new CommandFailure('--dev keeps everything in memory: give either it or --storage with its key');
    return undefined;
  }
  if (storage === undefined)
    throw new CommandFailure('give --storage file:<directory>, or --dev to keep everything in memory');
  const directory = storage.startsWith(SCHEME) ? storage.slice(SCHEME.length) : '';
  if (directory === '') throw new CommandFailure(`--storage: got ${JSON.stringify(storage)}; takes file:<directory>`);
  try {
    const key = await readStorageKey(
      storageKeyFile === undefined ? { env: KEY_VARIABLE } : { file: storageKeyFile },
      env,
    );
    return await FileStorage.open({ directory, key });
  } catch (error) {
    if (error instanceof AuthMethodError) throw new CommandFailure(error.message);
    throw error;
  }
}
