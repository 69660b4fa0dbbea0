import type { MetadataService } from '../../simulator/index.js';
import type { SampleWorld } from '../sample-world.js';
import type { RunningServer } from '../server.js';
import { untilStopped } from '../until-stopped.js';
import type { Printer } from './printer.js';

/** Tells what the commands of the demo need, and waits for a signal. */
export async function keepRunning(printer: Printer, world: SampleWorld, server: RunningServer): Promise<void> {
  // Before the text that tells others it is time: a signal may follow at once.
  const stopped = untilStopped();
  printer.note('');
  printer.note('Both keep running until Ctrl-C. For the commands above:');
  printer.note(`  ROOT_TOKEN='${server.rootToken}'`);
  printer.note(`  CLIENT_SECRET='${world.application.clientSecret}'`);
  printer.note('To log in as a machine of another kind, give the last command its environment:');
  for (const { description, metadata } of world.workloads) {
    if (metadata !== undefined) printer.note(`  ${environmentOf(metadata)} # ${description}`);
  }
  await stopped;
}

/** As a shell has it before a command. Key files are not found by the environment, but by an option. */
function environmentOf({ env, keyDirectory }: MetadataService): string {
  const variables = Object.entries(env).map(([name, value]) => `${name}='${value}'`);
  return `${variables.join(' ')} ...${keyDirectory === undefined ? '' : ` --key-directory '${keyDirectory}'`}`;
}
