import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Pool } from 'undici';
import { compare, rate, report } from './measure.js';
import { localKeys, RESOURCE, startWorld } from './world.js';

const IN_FLIGHT = 50;
const TOKENS = 4_000;
const ROUNDS = 7;

/** Starts one of the servers of http-server.js, and tells how to measure it. */
export async function startChild(kind, facts) {
  const child = fork(new URL('./http-server.js', import.meta.url), [kind]);
  child.send(facts);
  const [{ url }] = await once(child, 'message');
  const pool = new Pool(url, { connections: IN_FLIGHT });
  return {
    measure: (tokens, path) =>
      rate(tokens, IN_FLIGHT, async (jwt) => {
        const body = JSON.stringify({ role: 'web', jwt });
        const headers = { 'content-type': 'application/json' };
        const answer = await pool.request({ method: 'POST', path, headers, body });
        await answer.body.dump();
        if (answer.statusCode !== 200) throw new Error(`${kind} answered ${answer.statusCode}`);
      }),
    stop: async () => {
      await pool.close();
      child.kill();
      await once(child, 'exit');
    },
  };
}

/** Token-only logins over the HTTP host against a hono route that only verifies. Both servers are processes of their own. */
export async function benchHttp() {
  const { cloud, machine, tokens, issuer } = await startWorld(TOKENS);
  const { keys } = await localKeys(cloud);
  const { environment, tenantId } = cloud;
  const facts = {
    environment,
    tenantId,
    resource: RESOURCE,
    principalId: machine.systemAssigned.principalId,
    keys,
    issuer,
  };
  const logins = await startChild('host', facts);
  const bare = await startChild('bare', facts);
  const result = await compare(
    ROUNDS,
    () => logins.measure(tokens, '/v1/auth/cloud/login'),
    () => bare.measure(tokens, '/login'),
  );
  report('login over the HTTP host : hono route that only calls jwtVerify', result, '>= 0.5');
  await logins.stop();
  await bare.stop();
  await cloud.close();
}
