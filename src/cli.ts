#!/usr/bin/env node
import { createProgram } from './cli/program.js';
import { CommandFailure } from './cli/command-failure.js';

try {
  await createProgram().parseAsync();
} catch (error) {
  if (!(error instanceof CommandFailure)) throw error;
  process.stderr.write(`cloud-identity-auth: ${error.message}\n`);
  process.exitCode = 1;
}
