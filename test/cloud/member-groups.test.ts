import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { createCloudLookups } from '../../src/cloud/index.js';
import { recordingLogger } from '../support/logger.js';
import { CONFIGURATION, ENVIRONMENT, MACHINE, MACHINE_ANSWER, answer, routedCloud, sleeplessClock } from './fakes.js';
import type { FakeTransport } from './fakes.js';

const signal = new AbortController().signal;
const PRINCIPAL: string = randomUUID();

function memberGroups(
  transport: FakeTransport,
  groupIds: readonly string[],
  objectId = PRINCIPAL,
): Promise<readonly string[]> {
  const lookups = createCloudLookups({ transport, clock: sleeplessClock(), logger: recordingLogger() });
  return lookups.memberGroups(objectId, groupIds, CONFIGURATION, signal);
}

const asked = (body: unknown): string[] => (JSON.parse(body as string) as { groupIds: string[] }).groupIds;
const groups = (count: number): string[] => Array.from({ length: count }, (): string => randomUUID());
const requestsToGraph = ({ requests }: FakeTransport): FakeTransport['requests'] =>
  requests.filter(({ url }) => url.startsWith(ENVIRONMENT.graphEndpoint));

describe('group memberships', () => {
  test('are asked of the graph with a token of its own', async () => {
    const [one = '', two = ''] = groups(2);
    const transport = routedCloud(() => answer(200, { value: [two] }));
    expect(await memberGroups(transport, [one, two])).toEqual([two]);
    const [token, check] = transport.requests;
    expect(new URLSearchParams(token!.body as string).get('scope')).toBe(`${ENVIRONMENT.graphEndpoint}/.default`);
    expect(check).toMatchObject({
      method: 'POST',
      url: `${ENVIRONMENT.graphEndpoint}/v1.0/directoryObjects/${PRINCIPAL}/checkMemberGroups`,
      headers: {
        accept: 'application/json',
        'content-type': 'application/json',
        authorization: 'Bearer canary-access-token',
      },
      body: JSON.stringify({ groupIds: [one, two] }),
    });
  });

  test('are asked for twenty at a time, side by side, with one token', async () => {
    const ids = groups(45);
    let waiting = 0;
    let open = (): void => undefined;
    const all = new Promise<void>((resolve) => (open = resolve));
    const transport = routedCloud(async (_, { body }) => {
      waiting += 1;
      if (waiting === 3) open();
      await all;
      return answer(200, { value: asked(body) });
    });
    expect(await memberGroups(transport, ids)).toEqual(ids);
    expect(requestsToGraph(transport).map(({ body }) => asked(body).length)).toEqual([20, 20, 5]);
    expect(transport.requests).toHaveLength(4);
  });

  test('come in the spelling they were asked for, each once, and never others', async () => {
    const [one = '', other = ''] = groups(2);
    const transport = routedCloud(() => answer(200, { value: [one, other, 'x'] }));
    expect(await memberGroups(transport, [one.toUpperCase(), one.toUpperCase(), 'x'])).toEqual([one.toUpperCase()]);
    expect(asked(requestsToGraph(transport)[0]!.body)).toEqual([one]);
  });

  test.each<[string, string, string[]]>([
    ['no groups', PRINCIPAL, []],
    ['groups that are no GUIDs', PRINCIPAL, ['*', 'name', `${randomUUID()}x`, '']],
    ['a principal that is no GUID', '../users', groups(1)],
    ['a principal with more behind it', `${PRINCIPAL}\n/x`, groups(1)],
  ])('of %s are none without a call', async (_, objectId, ids) => {
    const transport = routedCloud(() => answer(200, { value: ids }));
    expect(await memberGroups(transport, ids, objectId)).toEqual([]);
    expect(transport.requests).toEqual([]);
  });

  test('of a principal that is not there are none', async () => {
    const transport = routedCloud(() => answer(404, { error: { code: 'Request_ResourceNotFound' } }));
    expect(await memberGroups(transport, groups(1))).toEqual([]);
  });

  test('that the application may not read are a gap in the configuration', async () => {
    const error = { code: 'Authorization_RequestDenied', message: 'canary-text' };
    const transport = routedCloud(() => answer(403, { error }));
    await expect(memberGroups(transport, groups(1))).rejects.toMatchObject({
      code: 'not_configured',
      message: 'The configured client_id may not read group memberships in the directory.',
    });
  });

  test.each([429, 500, 503])('are asked for again after status %i, as configured', async (status) => {
    const [id = ''] = groups(1);
    const replies = [answer(status), answer(status), answer(200, { value: [id] })];
    const transport = routedCloud(() => replies.shift()!);
    expect(await memberGroups(transport, [id])).toEqual([id]);
    expect(requestsToGraph(transport)).toHaveLength(3);
  });

  test('are an outage with the pause that the directory asks for', async () => {
    const transport = routedCloud(() => answer(429, '', { 'retry-after': '90' }));
    await expect(memberGroups(transport, groups(1))).rejects.toMatchObject({
      code: 'provider_unavailable',
      retryAfter: 90,
    });
    expect(requestsToGraph(transport)).toHaveLength(1);
  });

  test.each([
    ['empty', 200, ''],
    ['no JSON', 200, '{"value":'],
    ['a web page', 200, '<html>canary-page</html>'],
    ['null', 200, 'null'],
    ['a list', 200, []],
    ['of wrong types', 200, { value: [1] }],
    ['an error in disguise', 200, { error: { code: 'x', message: 'canary-text' } }],
    ['no content', 204, ''],
    ['a redirect', 307, ''],
    ['a strange 404', 404, '<html>canary-proxy</html>'],
  ])('are an outage when the answer is %s', async (_, status, body) => {
    const transport = routedCloud(() => answer(status, body, { location: 'https://elsewhere.example/' }));
    await expect(memberGroups(transport, groups(1))).rejects.toMatchObject({
      code: 'provider_unavailable',
      message: "The cloud's directory did not tell about groups.",
    });
    expect(requestsToGraph(transport)).toHaveLength(1);
  });

  test('are asked with a fresh token when the first was revoked', async () => {
    const [id = ''] = groups(1);
    const replies = [answer(401), answer(200, { value: [id] })];
    const transport = routedCloud(() => replies.shift()!);
    expect(await memberGroups(transport, [id])).toEqual([id]);
    expect(transport.requests.map(({ url }) => new URL(url).host)).toEqual([
      'directory.example',
      'graph.example',
      'directory.example',
      'graph.example',
    ]);
  });

  test('and resources are asked about with tokens of their own', async () => {
    const [id = ''] = groups(1);
    const transport = routedCloud((what) => (what.startsWith('GET') ? MACHINE_ANSWER : answer(200, { value: [id] })));
    const lookups = createCloudLookups({ transport, clock: sleeplessClock(), logger: recordingLogger() });
    await lookups.virtualMachine(MACHINE, CONFIGURATION, signal);
    await lookups.memberGroups(PRINCIPAL, [id], CONFIGURATION, signal);
    const scopes = transport.requests
      .filter(({ url }) => url.startsWith(ENVIRONMENT.authorityHost))
      .map(({ body }) => new URLSearchParams(body as string).get('scope'));
    expect(scopes).toEqual(['https://manager.example/.default', 'https://graph.example/.default']);
  });
});
