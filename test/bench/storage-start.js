// Opens the storage in a directory, lists its roles and reads a few; prints what each took.
import { FileStorage } from '../../dist/storage/index.js';

const resident = () => (process.memoryUsage.rss() / 2 ** 20).toFixed(0);
let begin = performance.now();
const before = resident();
function print(what) {
  process.stdout.write(`  ${what}: ${(performance.now() - begin).toFixed(0)} ms, RSS ${resident()} MiB\n`);
  begin = performance.now();
}

process.stdout.write(`start (RSS of the bare process ${before} MiB)\n`);
const storage = await FileStorage.open({ directory: process.argv[2], key: new Uint8Array(32).fill(7) });
print('opened, ready to read and write');
for (let index = 0; index < 100; index += 1) await storage.get(`role/${index * 997}`);
print('100 roles read');
const names = await storage.list('role/');
print(`${names.length} roles listed`);
await storage.close();
