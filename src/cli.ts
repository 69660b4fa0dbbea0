#!/usr/bin/env node
import { createProgram } from './cli/program.js';
import { CommandFailure } from './cli/command-failure.js';

// A reader that goes away, such as `head`, ends the command.
process.stdout.on('error', () => process.exit(1));

try {
  await createProgram().parseAsync();
} catch (error) {
  if (!(error instanceof CommandFailure)) throw error;
  process.stderr.write(`cloud-identity-auth: ${error.message}\n`);
  process.exitCode = 1;
}
