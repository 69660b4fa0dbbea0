import { AuthMethodError } from '../contract/index.js';
import type { RootConfiguration, RootCredential } from '../contract/index.js';

/** The stored credential, or `undefined` when there is none that can be rotated. */
export async function rotatable(root: RootConfiguration): Promise<RootCredential | undefined> {
  try {
    return await root.credential();
  } catch (error) {
    if (error instanceof AuthMethodError && error.code === 'invalid_request') return undefined;
    throw error;
  }
}

/**
 * The stored credential, or `undefined` when no client secret is stored. Rejects when one may be stored beside settings that
 * keep it from being used.
 */
export async function storedCredential(root: RootConfiguration): Promise<RootCredential | undefined> {
  try {
    return await root.credential();
  } catch (error) {
    const fields = ['client_secret', 'identity_token_audience'];
    if (error instanceof AuthMethodError && error.field !== undefined && fields.includes(error.field)) return undefined;
    throw error;
  }
}
