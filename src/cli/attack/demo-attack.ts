import { CommandFailure } from '../command-failure.js';
import { Arena } from './arena.js';
import { ATTACKS } from './attack-table.js';
import { runAttacks } from './run-attacks.js';

/**
 * Tries every attack of the table against a server and a simulated cloud, and shows what refused it.
 * @throws CommandFailure unless all are refused by what must refuse them, and all legitimate logins go through.
 */
export async function demoAttack(): Promise<void> {
  const write = (line: string): void => void process.stdout.write(`${line}\n`);
  write('A server, a simulated cloud, and a role for the machines of the resource group prod. Logins over HTTP:');
  const arena = await Arena.start();
  try {
    const { attacks, refused, lockedOut } = await runAttacks(ATTACKS, arena, write);
    write(`\n${attacks} attacks, ${refused} refused`);
    if (refused < attacks)
      throw new CommandFailure(`${attacks - refused} of ${attacks} attacks were not refused as they must be`);
    if (lockedOut.length > 0) throw new CommandFailure(`legitimate logins were refused: ${lockedOut.join(', ')}`);
  } finally {
    await arena.close();
  }
}
