// Writes where the system refuses; prints how the write failed and what can be read afterwards.
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { bytes, openStorage, text } from './open.js';

const [mode, directory] = process.argv.slice(2);
// Nothing is read-only to root.
if (mode === 'readonly' && process.getuid() === 0) {
  process.setgid(65534);
  process.setuid(65534);
}
const folders = ['drafts', 'values', 'values/drole'].map((name) => join(directory, name));
const setModes = (bits) => mode === 'readonly' && folders.forEach((folder) => chmodSync(folder, bits));

const storage = await openStorage(directory);
await storage.put('role/dev', bytes('old'));
setModes(0o500);
const large = mode === 'large' ? new Uint8Array(1_000_000) : bytes('new');
const failure = await storage.put('role/dev', large).catch((error) => error.cause.code);
const value = text(await storage.get('role/dev'));
setModes(0o700);
await storage.put('role/dev', bytes('next'));
process.stdout.write(JSON.stringify({ failure, value, next: text(await storage.get('role/dev')) }));
