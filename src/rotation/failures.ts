import { AuthMethodError } from '../contract/index.js';
import type { ErrorCode, LogFields } from '../contract/index.js';

/** Log fields of a failure. Texts of errors from elsewhere may quote anything, and are left out. */
export function describeFailure(error: unknown): LogFields {
  if (error instanceof AuthMethodError) return { code: error.code, reason: error.message };
  return { reason: error instanceof Error ? error.name : typeof error };
}

/** The rotation gave way to a change of the configuration, or to another node. */
export function cancelled(): AuthMethodError {
  return new AuthMethodError(
    'invalid_request',
    'The rotation was cancelled: the configuration has been changed meanwhile.',
  );
}

/** The directory let the new secret down. The one that was in use still is. */
export function givenUp(): AuthMethodError {
  return new AuthMethodError('provider_unavailable', "The cloud's directory does not accept the new client secret.");
}

/** The work goes on elsewhere: in a later process, or on another node. */
export class Handover extends AuthMethodError {
  constructor() {
    super(
      'provider_unavailable',
      'This server stopped rotating; what is open goes on where the method is active next.',
    );
  }
}

/** Whether the directory, or what is asked of it, says no: nothing was done. */
export function isRefusal(error: unknown): boolean {
  const refusals: readonly ErrorCode[] = ['not_configured', 'not_found', 'invalid_request'];
  return error instanceof AuthMethodError && refusals.includes(error.code);
}
