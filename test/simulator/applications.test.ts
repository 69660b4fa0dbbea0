import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { startSimulator } from '../../src/simulator/index.js';
import type { Application, Simulator } from '../../src/simulator/index.js';
import { ask, graphClient, requestToken } from './support.js';
import type { Reply } from './support.js';
import { ManualClock } from '../support/clock.js';

const GRAPH = 'https://graph.microsoft.com';
const clock = new ManualClock();
let simulator: Simulator;
let application: Application;

interface PasswordAnswer {
  keyId: string;
  displayName: string | null;
  hint: string;
  secretText: string | null;
  startDateTime: string;
  endDateTime: string;
}

beforeAll(async () => {
  simulator = await startSimulator({ now: () => clock.now() });
});

beforeEach(() => {
  application = simulator.addApplication();
});

afterAll(() => simulator.close());

const byClientId = (path = ''): string => `/applications(appId='${application.clientId}')${path}`;

function add(credential: Record<string, unknown> = {}, caller = application): Promise<PasswordAnswer> {
  const body = { passwordCredential: credential };
  return graphClient(simulator, caller).api(byClientId('/addPassword')).post(body) as Promise<PasswordAnswer>;
}

function remove(keyId: unknown, caller = application): Promise<unknown> {
  return graphClient(simulator, caller).api(byClientId('/removePassword')).post({ keyId }) as Promise<unknown>;
}

async function list(): Promise<PasswordAnswer[]> {
  const answer: unknown = await graphClient(simulator, application)
    .api(byClientId('?$select=passwordCredentials'))
    .get();
  return (answer as { passwordCredentials: PasswordAnswer[] }).passwordCredentials;
}

/** Status, and number of the error if there is one. */
async function tryToken(secret: string): Promise<[number, unknown]> {
  const reply = await requestToken(simulator, application.clientId, secret);
  return [reply.status, (reply.json()['error_codes'] as unknown[] | undefined)?.[0]];
}

describe('reading an application', () => {
  test.each<[string, (application: Application) => string]>([
    ['client id', ({ clientId }) => `/applications(appId='${clientId}')`],
    ['client id in capitals, encoded', ({ clientId }) => `/applications(appId=%27${clientId.toUpperCase()}%27)`],
    ['object id', ({ objectId }) => `/applications/${objectId}`],
  ])('by its %s tells of its passwords without their texts', async (_what, path) => {
    const answer: unknown = await graphClient(simulator, application).api(path(application)).get();
    expect(answer).toMatchObject({
      id: application.objectId,
      appId: application.clientId,
      passwordCredentials: [
        {
          keyId: application.passwords.current[0]!.keyId,
          hint: application.clientSecret.slice(0, 3),
          secretText: null,
          endDateTime: '2299-12-31T00:00:00.000Z',
        },
      ],
    });
    expect(JSON.stringify(answer)).not.toContain(application.clientSecret);
  });

  test('by a filter answers with a list', async () => {
    const list = async (filter: string): Promise<unknown> =>
      ((await graphClient(simulator, application).api('/applications').filter(filter).get()) as { value: unknown })
        .value;
    expect(await list(`appId eq '${application.clientId}'`)).toMatchObject([{ id: application.objectId }]);
    expect(await list(`appId eq '${randomUUID()}'`)).toEqual([]);
    const unsupported = list("displayName eq 'x'");
    await expect(unsupported).rejects.toMatchObject({ statusCode: 400, code: 'Request_UnsupportedQuery' });
  });

  test('answers with the properties that are selected and no others', async () => {
    const client = graphClient(simulator, application);
    const selected = (await client.api(byClientId()).select('id,appId').get()) as Record<string, unknown>;
    expect(Object.keys(selected).filter((name) => !name.startsWith('@'))).toEqual(['id', 'appId']);
    await expect(client.api(byClientId()).select('secrets').get()).rejects.toMatchObject({ statusCode: 400 });
  });

  test('that does not exist says so', async () => {
    const gone = simulator.addApplication();
    simulator.removeApplication(gone);
    const client = graphClient(simulator, application);
    const refusal = { statusCode: 404, code: 'Request_ResourceNotFound' };
    await expect(client.api(`/applications(appId='${gone.clientId}')`).get()).rejects.toMatchObject(refusal);
    await expect(client.api(`/applications/${gone.objectId}`).get()).rejects.toMatchObject(refusal);
  });

  test('may be forbidden', async () => {
    const limited = simulator.addApplication({
      mayRead: (scope, action) => !(action === 'read' && scope === `/applications/${application.objectId}`),
    });
    const client = graphClient(simulator, limited);
    await expect(client.api(byClientId()).get()).rejects.toMatchObject({ statusCode: 403 });
    await expect(client.api(`/applications/${limited.objectId}`).get()).resolves.toBeDefined();
  });
});

describe('adding a password', () => {
  test('answers with a secret that works, beside those that there were', async () => {
    const endDateTime = new Date(clock.now() + 3_600_000).toISOString();
    const added = await add({ displayName: 'second', endDateTime });
    expect(added).toMatchObject({
      customKeyIdentifier: null,
      displayName: 'second',
      hint: added.secretText!.slice(0, 3),
      startDateTime: new Date(clock.now()).toISOString(),
      endDateTime,
    });
    expect(await tryToken(added.secretText!)).toEqual([200, undefined]);
    expect(await tryToken(application.clientSecret)).toEqual([200, undefined]);
    expect(await list()).toMatchObject([{}, { keyId: added.keyId, displayName: 'second', secretText: null }]);
    expect(application.passwords.current).toMatchObject([{}, { keyId: added.keyId, secretText: added.secretText }]);
  });

  test('without a word about it gives one for two years', async () => {
    const added = await add();
    expect(added.displayName).toBeNull();
    expect(Date.parse(added.endDateTime) - clock.now()).toBe(730 * 86_400_000);
  });

  test('makes secrets whose hints tell them apart', async () => {
    const hints = new Set<string>();
    for (let round = 0; round < 20; round += 1) hints.add((await add()).hint);
    expect(hints.size).toBeGreaterThan(1);
  });

  test('gives one that works from its start to its end', async () => {
    const startDateTime = new Date(clock.now() + 1000).toISOString();
    const endDateTime = new Date(clock.now() + 2000).toISOString();
    const { secretText } = await add({ startDateTime, endDateTime });
    expect(await tryToken(secretText!)).toEqual([401, 7000215]);
    clock.advance(1000);
    expect(await tryToken(secretText!)).toEqual([200, undefined]);
    clock.advance(1000);
    expect(await tryToken(secretText!)).toEqual([401, 7000222]);
    expect(await list()).toHaveLength(2);
  });

  test.each<[string, Record<string, unknown>]>([
    ['an end before the start', { endDateTime: '2020-01-01T00:00:00Z' }],
    ['an end that is no time', { endDateTime: 'tomorrow' }],
    ['a start that is no text', { startDateTime: 1 }],
    ['a name that is no text', { displayName: 1 }],
    ['a secret of their own', { secretText: 'canary-chosen' }],
    ['a key id of their own', { keyId: randomUUID() }],
  ])('is refused to callers who want %s', async (_what, credential) => {
    await expect(add(credential)).rejects.toMatchObject({ statusCode: 400, code: 'Request_BadRequest' });
    expect(application.passwords.all).toHaveLength(1);
  });

  test('is refused when the application has as many as it may', async () => {
    application = simulator.addApplication({ maxPasswords: 2 });
    const { keyId } = await add();
    await expect(add()).rejects.toMatchObject({ statusCode: 400, code: 'Directory_ResourceSizeExceeded' });
    await remove(keyId);
    await expect(add()).resolves.toBeDefined();
  });
});

describe('removing a password', () => {
  test('ends it and no other, and tests still see that it was', async () => {
    const added = await add();
    clock.advance(5);
    expect(await remove(added.keyId.toUpperCase())).toBeUndefined();
    expect(await tryToken(added.secretText!)).toEqual([401, 7000215]);
    expect(await tryToken(application.clientSecret)).toEqual([200, undefined]);
    expect(await list()).toHaveLength(1);
    expect(application.passwords.current).toHaveLength(1);
    expect(application.passwords.all).toMatchObject([{}, { keyId: added.keyId, removedAt: clock.now() }]);
    expect(application.passwords.all[0]).not.toHaveProperty('removedAt');
  });

  test('that is not there, or not any more, is refused', async () => {
    const { keyId } = await add();
    await remove(keyId);
    const refusal = {
      statusCode: 400,
      code: 'Request_BadRequest',
      message: /^No password credential found/ as unknown,
    };
    await expect(remove(keyId)).rejects.toMatchObject(refusal);
    await expect(remove(randomUUID())).rejects.toMatchObject(refusal);
    await expect(remove(undefined)).rejects.toMatchObject({ statusCode: 400 });
  });
});

describe('the right to change passwords', () => {
  test('is everybody’s own, and else refused', async () => {
    const stranger = simulator.addApplication();
    const refusal = { statusCode: 403, code: 'Authorization_RequestDenied' };
    await expect(add({}, stranger)).rejects.toMatchObject(refusal);
    await expect(remove(application.passwords.current[0]!.keyId, stranger)).rejects.toMatchObject(refusal);
    expect(application.passwords.current).toHaveLength(1);
  });

  test('may be granted, and taken from the application itself', async () => {
    const owner = simulator.addApplication({ mayManage: (clientId) => clientId === application.clientId });
    await expect(add({}, owner)).resolves.toBeDefined();
    application = simulator.addApplication({ mayManage: () => false });
    await expect(add()).rejects.toMatchObject({ statusCode: 403 });
  });

  test('is not that of managed identities', async () => {
    const machine = simulator.addVirtualMachine({ systemAssigned: true });
    const token = await simulator.tokenFor(machine, { resource: GRAPH });
    const reply = await raw(token, byClientId('/addPassword'), { method: 'POST', body: '{}' });
    expect(reply.status).toBe(403);
  });
});

function raw(bearer: string, path: string, options: { method: string; body?: string }): Promise<Reply> {
  return ask(simulator, `/v1.0${path}`, { ...options, headers: { authorization: `Bearer ${bearer}` } });
}

test.each<[string, string, string, string, number]>([
  ['a body that is not JSON', 'POST', "(appId='ID')/addPassword", 'x', 400],
  ['a body that is no object', 'POST', "(appId='ID')/addPassword", 'null', 400],
  ['a password that is no object', 'POST', "(appId='ID')/addPassword", '{"passwordCredential":1}', 400],
  ['an action on no application', 'POST', '/addPassword', '{}', 405],
  ['an action by GET', 'GET', "(appId='ID')/addPassword", '', 405],
  ['a change of the application', 'PATCH', "(appId='ID')", '{}', 405],
  ['a path with broken encoding', 'GET', "(appId='%zz')", '', 400],
])('%s is refused', async (_what, method, path, body, status) => {
  const token = await simulator.applicationToken(application, { resource: GRAPH });
  const target = `/applications${path.replace('ID', application.clientId)}`;
  const reply = await raw(token, target, method === 'GET' ? { method } : { method, body });
  expect(reply.status).toBe(status);
  expect(reply.json()).toHaveProperty('error.code');
  expect(application.passwords.all).toHaveLength(1);
});

describe('a directory that learns late', () => {
  beforeEach(() =>
    simulator.setPropagationDelays({
      secretAcceptanceDelay: 1000,
      secretRemovalDelay: 2000,
      listDelay: 500,
      removableDelay: 250,
    }),
  );

  afterAll(() =>
    simulator.setPropagationDelays({
      secretAcceptanceDelay: 0,
      secretRemovalDelay: 0,
      listDelay: 0,
      removableDelay: 0,
    }),
  );

  test('knows at once the secret that an application comes with', async () => {
    application = simulator.addApplication();
    expect(await tryToken(application.clientSecret)).toEqual([200, undefined]);
    expect(await list()).toHaveLength(1);
  });

  test('removes, lists and accepts a new secret only after a while', async () => {
    const { keyId, secretText } = await add();
    await expect(remove(keyId)).rejects.toMatchObject({ statusCode: 400 });
    clock.advance(499);
    expect(await list()).toHaveLength(1);
    clock.advance(1);
    expect(await list()).toHaveLength(2);
    clock.advance(499);
    expect(await tryToken(secretText!)).toEqual([401, 7000215]);
    clock.advance(1);
    expect(await tryToken(secretText!)).toEqual([200, undefined]);
  });

  test('lists and accepts a removed secret for a while', async () => {
    await remove(application.passwords.current[0]!.keyId);
    expect(application.passwords.current).toHaveLength(0);
    clock.advance(499);
    expect(await list()).toHaveLength(1);
    clock.advance(1);
    expect(await list()).toHaveLength(0);
    clock.advance(1499);
    expect(await tryToken(application.clientSecret)).toEqual([200, undefined]);
    clock.advance(1);
    expect(await tryToken(application.clientSecret)).toEqual([401, 7000215]);
  });

  test('may be quicker for one application, and changes for what was added before', async () => {
    const { secretText } = await add();
    application.passwords.setDelays({ listDelay: 0 });
    expect(await list()).toHaveLength(2);
    expect(await tryToken(secretText!)).toEqual([401, 7000215]);
    simulator.setPropagationDelays({ secretAcceptanceDelay: 0 });
    expect(await tryToken(secretText!)).toEqual([200, undefined]);
  });
});
