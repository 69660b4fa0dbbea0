import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { compare, median, report } from './measure.js';

const ROUNDS = 9;
const at = (name) => fileURLToPath(new URL(name, import.meta.url));

/** Milliseconds until a server prints its first line, and its resident memory then. */
async function start(parameters, memory) {
  const begin = process.hrtime.bigint();
  const child = spawn(process.execPath, parameters, { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  const milliseconds = Number(process.hrtime.bigint() - begin) / 1e6;
  const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8')) ?? [];
  memory.push(Number(kilobytes) / 1024);
  child.kill();
  await once(child, 'exit');
  return milliseconds;
}

/** Time until `server` is ready against that of a bare hono server. */
export async function benchStart() {
  const ours = [];
  const bare = [];
  const server = [at('../../dist/cli.js'), 'server', '--dev', '--listen', '127.0.0.1:0', '--log-level', 'error'];
  const result = await compare(
    ROUNDS,
    () => start(server, ours),
    () => start([at('./bare-server.js')], bare),
  );
  report('time until server is ready : bare hono server', result, '< 3', 'ms');
  process.stdout.write(`  RSS when ready ${median(ours).toFixed(0)} MiB against ${median(bare).toFixed(0)} MiB\n`);
}
