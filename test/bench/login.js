import { jwtVerify } from 'jose';
import { createBackend } from '../../dist/index.js';
import { createMemoryHost } from '../../dist/hosts/memory/index.js';
import { compare, rate, report } from './measure.js';
import { configOf, localKeys, RESOURCE, roleOf, SILENT, startWorld } from './world.js';

const IN_FLIGHT = 50;
const TOKENS = 4_000;
// Many short turns: the machine's speed changes within seconds.
const BATCH = 1_000;
const ROUNDS = 41;

async function startHost(cloud) {
  const factory = (services) => createBackend(services, { environments: [cloud.environment] });
  const host = await createMemoryHost({ factory, logger: SILENT });
  await host.write('config', configOf(cloud));
  return host;
}

/** A measurement that takes the next batch of tokens at each turn. None comes back before it is forgotten as recognised. */
function turns(tokens, work) {
  let next = 0;
  return () => {
    const batch = tokens.slice(next, next + BATCH);
    next = (next + BATCH) % tokens.length;
    return rate(batch, IN_FLIGHT, work);
  };
}

/** Token-only logins through the memory host against bare verification, and with many roles. */
export async function benchLogin() {
  const { cloud, machine, tokens, issuer } = await startWorld(TOKENS);
  const { keySet } = await localKeys(cloud);
  const verify = (jwt) => jwtVerify(jwt, keySet, { issuer, audience: RESOURCE, algorithms: ['RS256'] });

  const host = await startHost(cloud);
  await host.write('role/web', roleOf(machine));
  const logins = await compare(
    ROUNDS,
    turns(tokens, (jwt) => host.login({ role: 'web', jwt })),
    turns(tokens, verify),
  );
  report(
    'login handler, token only, distinct tokens, memory host : jose.jwtVerify with a local key set',
    logins,
    '>= 0.85',
  );
  await host.close();

  const few = await startHost(cloud);
  const many = await startHost(cloud);
  for (const [target, count] of [
    [few, 10],
    [many, 100_000],
  ]) {
    for (let index = 0; index < count; index += 1) await target.write(`role/web-${index}`, roleOf(machine));
  }
  const loginsTo = (target, count) => {
    let turn = 0;
    // A stride that is prime to both counts reaches roles all over.
    return turns(tokens, (jwt) => target.login({ role: `web-${(turn += 7919) % count}`, jwt }));
  };
  const roles = await compare(ROUNDS, loginsTo(many, 100_000), loginsTo(few, 10));
  report('logins with 100,000 roles : with 10 roles', roles, '1 within noise');
  await few.close();
  await many.close();
  await cloud.close();
}
