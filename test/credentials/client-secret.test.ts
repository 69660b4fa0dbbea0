import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { decodeJwt } from 'jose';
import { startSimulator } from '../../src/simulator/index.js';
import type { Application, Simulator } from '../../src/simulator/index.js';
import { CredentialServer, tokenRequests } from './server.js';

let cloud: Simulator;
let server: CredentialServer;

beforeAll(async () => {
  cloud = await startSimulator();
  server = await CredentialServer.start(cloud);
});

afterEach(() => {
  cloud.resetCalls();
});

afterAll(async () => {
  await server.close();
  await cloud.close();
});

const credentials = ({ clientId, clientSecret }: Application): object => ({
  client_id: clientId,
  client_secret: clientSecret,
});

/** Who asked the resource manager, in the order of the requests. */
function askers(): unknown[] {
  return cloud
    .calls({ service: 'resource-manager' })
    .map(({ headers }) => decodeJwt((headers.authorization ?? '').slice('Bearer '.length))['appid']);
}

describe('with a client secret', () => {
  test('a machine logs in', async () => {
    const application = cloud.addApplication();
    await server.configure(credentials(application));
    expect(await server.login(cloud.addVirtualMachine({ systemAssigned: true }))).toMatchObject({ status: 200 });
    expect(askers()).toEqual([application.clientId]);
  });

  test('fifty cold logins at once ask once for a token of each audience', async () => {
    const machines = Array.from({ length: 50 }, (_, index) =>
      cloud.addVirtualMachine({ name: `web-${index}`, systemAssigned: true }),
    );
    const members = machines.map(({ systemAssigned }) => systemAssigned!.principalId);
    const group = cloud.addGroup({ members });
    await server.configure(credentials(cloud.addApplication()), { role: { bound_group_ids: [group.id] } });
    const replies = await Promise.all(machines.map((machine) => server.login(machine, { groups: 'overage' })));
    expect(replies.map(({ status }) => status)).toEqual(machines.map(() => 200));
    expect(cloud.calls({ service: 'graph' }).length).toBeGreaterThan(0);
    expect(tokenRequests(cloud)).toHaveLength(2);
  });

  test('a change of the configuration means new tokens; reading it does not', async () => {
    const machine = cloud.addVirtualMachine({ systemAssigned: true });
    const [first, second] = [cloud.addApplication(), cloud.addApplication()];
    await server.configure(credentials(first));
    await server.login(machine);
    await server.ask('GET', 'auth/cloud/role/dev');
    await server.login(machine);
    expect(tokenRequests(cloud)).toHaveLength(1);
    await server.configure(credentials(second));
    await server.login(machine);
    expect(tokenRequests(cloud)).toHaveLength(2);
    expect(askers()).toEqual([first.clientId, first.clientId, second.clientId]);
  });

  test('nothing crosses mounts', async () => {
    const machine = cloud.addVirtualMachine({ systemAssigned: true });
    const application = cloud.addApplication();
    await server.configure(credentials(application));
    await server.configure(credentials(application), { mount: 'other' });
    for (const mount of ['cloud', 'other', 'cloud', 'other']) await server.login(machine, { mount });
    expect(tokenRequests(cloud)).toHaveLength(2);
    const tokens = cloud.calls({ service: 'resource-manager' }).map(({ headers }) => headers.authorization);
    expect(new Set([tokens[0], tokens[1]]).size).toBe(2);
    expect(tokens.slice(2)).toEqual(tokens.slice(0, 2));
  });

  test('a token that is revoked early is replaced by one fresh one, for all', async () => {
    const machines = Array.from({ length: 10 }, (_, index) =>
      cloud.addVirtualMachine({ name: `web-${index}`, systemAssigned: true }),
    );
    await server.configure(credentials(cloud.addApplication()));
    await server.login(machines[0]!);
    cloud.revokeTokens();
    const replies = await Promise.all(machines.map((machine) => server.login(machine)));
    expect(replies.map(({ status }) => status)).toEqual(machines.map(() => 200));
    expect(tokenRequests(cloud)).toHaveLength(2);
  });

  test('one that the directory refuses is a matter of the configuration', async () => {
    const { clientId } = cloud.addApplication();
    await server.configure({ client_id: clientId, client_secret: 'canary-wrong' });
    expect(await server.login(cloud.addVirtualMachine({ systemAssigned: true }))).toMatchObject({
      status: 400,
      errors: ['The directory refuses the configured credentials.'],
    });
    expect(server.refusals).toContain(7000215);
  });

  test.each([{ hang: true }, { reset: true }, { status: 503 }, { garbage: true }])(
    'a directory that answers with %j is an outage',
    async (fault) => {
      await server.configure(credentials(cloud.addApplication()));
      const handle = cloud.fail({ service: 'authority', path: /\/oauth2\/v2\.0\/token/, ...fault });
      const machine = cloud.addVirtualMachine({ systemAssigned: true });
      expect(await server.login(machine)).toMatchObject({ status: 503 });
      handle.remove();
    },
  );
});
