import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { startSimulator } from '../../src/simulator/index.js';
import type { Application, FederatedCredential, Simulator, VirtualMachine } from '../../src/simulator/index.js';
import { TestIssuer } from '../simulator/assertion-issuer.js';
import { CredentialServer, ShiftedClock, tokenRequests } from './server.js';
import type { ServerOptions } from './server.js';

const HOUR = 3_600_000;
const AUDIENCE = 'api://AzureADTokenExchange';
const ISSUER_PATH = '/v1/identity/oidc/plugins';

const cloudClock = new ShiftedClock();
let cloud: Simulator;
let machine: VirtualMachine;
let application: Application;
const servers: CredentialServer[] = [];

beforeAll(async () => {
  cloud = await startSimulator({ now: cloudClock.now });
});

beforeEach(() => {
  cloudClock.offset = 0;
  machine = cloud.addVirtualMachine({ systemAssigned: true });
});

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
  cloud.resetCalls();
});

afterAll(() => cloud.close());

/** A server whose identity tokens the directory takes for an application, unless something is changed. */
async function federated(
  changes: Partial<FederatedCredential> = {},
  options?: ServerOptions,
): Promise<CredentialServer> {
  const server = await CredentialServer.start(cloud, options);
  servers.push(server);
  const credential = {
    issuer: `${options?.baseUrl ?? server.url}${ISSUER_PATH}`,
    subject: await server.subject(),
    audiences: [AUDIENCE],
    ...changes,
  };
  application = cloud.addApplication({ federatedCredentials: [credential] });
  await server.configure({ client_id: application.clientId, identity_token_audience: AUDIENCE });
  return server;
}

async function keyIds({ url }: CredentialServer): Promise<string[]> {
  const answer = await fetch(`${url}${ISSUER_PATH}/.well-known/keys`);
  return ((await answer.json()) as { keys: { kid: string }[] }).keys.map(({ kid }) => kid);
}

describe('with an identity token of the host', () => {
  test('a machine logs in, and no client secret is anywhere', async () => {
    const server = await federated();
    expect(await server.login(machine)).toMatchObject({ status: 200 });
    expect(await server.login(machine)).toMatchObject({ status: 200 });
    expect(tokenRequests(cloud)).toHaveLength(1);
  });

  test('fifty cold logins at once ask for one token', async () => {
    const server = await federated();
    const machines = Array.from({ length: 50 }, (_, index) =>
      cloud.addVirtualMachine({ name: `web-${index}`, systemAssigned: true }),
    );
    const replies = await Promise.all(machines.map((each) => server.login(each)));
    expect(replies.map(({ status }) => status)).toEqual(machines.map(() => 200));
    expect(tokenRequests(cloud)).toHaveLength(1);
  });

  test('another mount is somebody else', async () => {
    const server = await federated();
    await server.configure({ client_id: application.clientId, identity_token_audience: AUDIENCE }, { mount: 'other' });
    expect(await server.login(machine, { mount: 'other' })).toMatchObject({ status: 400 });
    expect(server.refusals).toEqual([700213]);
    application.federatedCredentials.push({
      ...application.federatedCredentials[0]!,
      subject: await server.subject('other'),
    });
    expect(await server.login(machine, { mount: 'other' })).toMatchObject({ status: 200 });
  });

  test('logins go on while the keys of the host change', async () => {
    const clock = cloudClock;
    const server = await federated({}, { clock });
    const seen = new Set<string>();
    for (let hour = 0; hour < 100; hour++) {
      clock.offset = hour * HOUR;
      expect(await server.login(machine)).toMatchObject({ status: 200 });
      for (const kid of await keyIds(server)) seen.add(kid);
    }
    expect(seen.size).toBe(5);
    expect((await keyIds(server)).length).toBeLessThan(5);
  });

  test('a token that is revoked early is replaced by one fresh one', async () => {
    const server = await federated();
    await server.login(machine);
    cloud.revokeTokens();
    expect(await server.login(machine)).toMatchObject({ status: 200 });
    expect(tokenRequests(cloud)).toHaveLength(2);
  });
});

describe('the directory refuses an identity token', () => {
  const refusal = { status: 400, errors: ['The directory refuses the configured credentials.'] };

  test.each<[string, Partial<FederatedCredential>, number]>([
    ['another issuer', { issuer: 'https://elsewhere.example/v1/identity/oidc/plugins' }, 700211],
    ['another subject', { subject: 'plugin-identity:root:auth:auth_cloud_00000000' }, 700213],
    ['another audience', { audiences: ['api://other'] }, 700212],
  ])('when it trusts %s', async (_, changes, number) => {
    const server = await federated(changes);
    expect(await server.login(machine)).toMatchObject(refusal);
    expect(server.refusals).toEqual([number]);
  });

  test('when it trusts nobody', async () => {
    const server = await federated();
    application.federatedCredentials.length = 0;
    expect(await server.login(machine)).toMatchObject(refusal);
    expect(server.refusals).toEqual([70025]);
  });

  test('that has expired, by its clock', async () => {
    const server = await federated();
    await server.configure({ identity_token_ttl: 60 });
    cloudClock.offset = 200_000;
    expect(await server.login(machine)).toMatchObject(refusal);
    expect(server.refusals).toEqual([700024]);
    await server.configure({ identity_token_ttl: 600 });
    expect(await server.login(machine)).toMatchObject({ status: 200 });
  });

  test('that the issuer it can reach did not sign', async () => {
    const impostor = await TestIssuer.start();
    const issuer = `${impostor.url}${ISSUER_PATH}`;
    impostor.documents[`${ISSUER_PATH}/.well-known/openid-configuration`] = {
      issuer,
      jwks_uri: `${impostor.url}/keys`,
    };
    const server = await federated({}, { baseUrl: impostor.url });
    expect(await server.login(machine)).toMatchObject(refusal);
    expect(server.refusals).toEqual([7000272]);
    await impostor.close();
  });

  test('whose issuer it cannot reach', async () => {
    const gone = await TestIssuer.start();
    await gone.close();
    const server = await federated({}, { baseUrl: gone.url });
    expect(await server.login(machine)).toMatchObject(refusal);
    expect(server.refusals).toEqual([501661]);
  });

  test('and takes the next one as soon as its operator has set it right', async () => {
    const server = await federated({ audiences: ['api://other'] });
    const [credential] = application.federatedCredentials;
    expect(await server.login(machine)).toMatchObject(refusal);
    application.federatedCredentials[0] = { ...credential!, audiences: [AUDIENCE] };
    expect(await server.login(machine)).toMatchObject({ status: 200 });
  });
});

test('a client secret in the environment does not take the place of configured federation', async () => {
  const { clientSecret } = cloud.addApplication();
  const server = await federated({}, { env: { CLOUD_CLIENT_SECRET: clientSecret } });
  expect(await server.login(machine)).toMatchObject({ status: 200 });
  expect(server.refusals).toEqual([]);
});
