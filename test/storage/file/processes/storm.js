// Writes and deletes in many places at once, and prints each change that was promised: key and number.
import { writeSync } from 'node:fs';
import { openStorage } from './open.js';
import { KEYS, valueOf } from './storm-values.js';

const [directory, first] = process.argv.slice(2);
const storage = await openStorage(directory);
for (const key of KEYS) void change(key);

async function change(key) {
  for (let number = Number(first); ; number += 1) {
    const value = valueOf(key, number);
    await (value ? storage.put(key, value) : storage.delete(key));
    writeSync(1, `${key} ${number}\n`);
  }
}
