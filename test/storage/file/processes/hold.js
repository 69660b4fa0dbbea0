// Says ready, waits for a line, opens, says `held` or why not, and holds until its input ends.
import { once } from 'node:events';
import { openStorage } from './open.js';

process.stdout.write('ready\n');
await once(process.stdin, 'data');
const storage = await openStorage(process.argv[2]).catch((error) => {
  process.stdout.write(`${error.message}\n`);
});
if (storage) process.stdout.write('held\n');
await once(process.stdin, 'end');
await storage?.close();
