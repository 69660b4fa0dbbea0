// Prints ratios, each within one run. `npm run bench -- login` runs one of them.
import { benchFaults } from './faults.js';
import { benchHttp } from './http.js';
import { benchLogin } from './login.js';
import { benchLookups } from './lookups.js';
import { benchMemory } from './memory.js';
import { benchRotation } from './rotation.js';
import { benchStart } from './start.js';
import { benchStorage } from './storage.js';
import { benchStoredLogins } from './stored-logins.js';

const benches = {
  login: benchLogin,
  http: benchHttp,
  start: benchStart,
  lookups: benchLookups,
  memory: benchMemory,
  faults: benchFaults,
  rotation: benchRotation,
  storage: benchStorage,
  'stored-logins': benchStoredLogins,
};
const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !(name in benches));
if (unknown.length > 0) {
  process.stderr.write(`no such bench: ${unknown.join(', ')}; there are ${Object.keys(benches).join(', ')}\n`);
  process.exit(1);
}
for (const [name, bench] of Object.entries(benches)) {
  if (wanted.length === 0 || wanted.includes(name)) await bench();
}
