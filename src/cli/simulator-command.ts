import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CommandFailure } from './command-failure.js';
import { listenFailure, parseListenAddress } from './listen-address.js';
import { describeWorld, startSampleWorld } from './sample-world.js';
import type { SampleWorld } from './sample-world.js';
import { untilStopped } from './until-stopped.js';

/** Options of the command `simulator`. */
export interface SimulatorOptions {
  readonly listen: string;
  readonly directory?: string;
}

/** Runs a simulated cloud until it is stopped. */
export async function simulator({ listen, directory }: SimulatorOptions): Promise<void> {
  const address = parseListenAddress(listen);
  const world = await startSampleWorld(address).catch((error: unknown) => {
    throw listenFailure(error, address);
  });
  try {
    if (directory !== undefined) writeEnvironment(directory, world);
    process.stdout.write(describeWorld(world));
    const stopped = untilStopped();
    process.stdout.write(`simulated cloud ready at ${world.simulator.url}\n`);
    await stopped;
  } finally {
    await world.simulator.close();
  }
}

function writeEnvironment(directory: string, { simulator: { environment, caPem } }: SampleWorld): void {
  // JSON leaves out what is undefined; the certificate goes into a file of its own.
  const entry = { ...environment, ca: undefined, caFile: 'ca.pem' };
  try {
    mkdirSync(directory, { recursive: true });
    writeFileSync(join(directory, 'ca.pem'), caPem);
    writeFileSync(join(directory, 'environments.json'), JSON.stringify([entry], null, 2));
  } catch (error) {
    throw new CommandFailure(
      `cannot write to the directory ${directory}: ${error instanceof Error ? error.message : ''}`,
    );
  }
}
