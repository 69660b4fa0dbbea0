// The simulated cloud of rotation.js: a process of its own, so that its work does not count as the server's.
import { startSimulator } from '../../dist/testing/index.js';
import { RESOURCE } from './world.js';

const cloud = await startSimulator();
const machine = cloud.addVirtualMachine({ name: 'web-1', systemAssigned: true });
const { clientId, clientSecret, passwords } = cloud.addApplication();

const commands = {
  passwords: () => passwords.current.length,
  latency: (milliseconds) => cloud.setLatency(milliseconds),
  tokens: async (count) => {
    const tokens = [];
    for (let made = 0; made < count; made += 1) tokens.push(await cloud.tokenFor(machine, { resource: RESOURCE }));
    return tokens;
  },
};
process.on('message', async ([name, value]) => process.send((await commands[name](value)) ?? 'done'));
// Whoever measures may be stopped before the end.
process.on('disconnect', () => process.exit());
process.send({
  environment: cloud.environment,
  tenantId: cloud.tenantId,
  machine,
  clientId,
  clientSecret,
});
