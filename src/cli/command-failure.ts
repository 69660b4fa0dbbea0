/** Ends a command with one sentence for the person who ran it, and exit status 1. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure';
}
