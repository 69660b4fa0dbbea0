import { expect, test } from '@jest/globals';
import type { OutboundRequest, OutboundResponse } from '../../src/contract/index.js';
import { OutboundError } from '../../src/contract/index.js';
import { loggedTransport } from '../../src/transport/index.js';
import { recordingLogger } from '../support/logger.js';

const JWT = ['eyJhbGciOiJSUzI1NiJ9', 'eyJzdWIiOiJtYWNoaW5lIn0', 'c2lnbmF0dXJlLWJ5dGVz'].join('.');

function exchange(
  request: Partial<OutboundRequest>,
  answer: Partial<OutboundResponse> | Error,
): ReturnType<typeof recordingLogger> {
  const logger = recordingLogger();
  const transport = loggedTransport(
    {
      send: () =>
        answer instanceof Error
          ? Promise.reject(answer)
          : Promise.resolve({ status: 200, headers: {}, body: new Uint8Array(), ...answer }),
      close: () => Promise.resolve(),
    },
    logger,
  );
  const signal = new AbortController().signal;
  transport.send({ method: 'GET', url: 'https://cloud.example/', signal, ...request }).catch(() => undefined);
  return logger;
}

async function logged(request: Partial<OutboundRequest>, answer: Partial<OutboundResponse> | Error): Promise<string> {
  const logger = exchange(request, answer);
  await new Promise((resolve) => setImmediate(resolve));
  expect(logger.lines.every(({ level }) => level === 'debug')).toBe(true);
  return JSON.stringify(logger.lines);
}

test('method, URL, status, harmless headers and bodies are logged', async () => {
  const text = await logged(
    { method: 'POST', url: 'https://cloud.example/path?api-version=1', body: '{"groupIds":["a"]}' },
    { status: 429, headers: { 'retry-after': '3' }, body: Buffer.from('{"location":"westeurope"}') },
  );
  for (const part of [
    'POST',
    'https://cloud.example/path?api-version=1',
    'groupIds',
    '429',
    'retry-after',
    'westeurope',
  ]) {
    expect(text).toContain(part);
  }
});

test.each<[string, Partial<OutboundRequest>, Partial<OutboundResponse>]>([
  ['the authorization header', { headers: { authorization: 'Bearer canary-token' } }, {}],
  ['a form', { body: `client_id=a&client_secret=canary-secret&client_assertion=${JWT}` }, {}],
  ['a form field of another name', { body: `a=b&c=${JWT}` }, {}],
  ['a token answer', {}, { body: Buffer.from(`{"access_token":"canary-x","token_type":"canary-y"}`) }],
  [
    'a client secret just made, nor how it begins',
    { body: '{"passwordCredential":{"displayName":"a"}}' },
    { body: Buffer.from('{"keyId":"a","hint":"canary-","secretText":"canary-made"}') },
  ],
  ['the hints of client secrets', {}, { body: Buffer.from('{"passwordCredentials":[{"hint":"canary-"}]}') }],
  ['a nested secret', {}, { body: Buffer.from(`{"a":[{"secretText":"canary-z"}]}`) }],
  ['a signed token under any name', {}, { body: Buffer.from(`{"a":"${JWT}"}`) }],
  ['a query parameter', { url: 'https://cloud.example/?sig=a&access_token=canary-q' }, {}],
  ['a header of the answer', {}, { headers: { 'set-cookie': 'canary-cookie' } }],
  ['a body that is neither JSON nor a form', {}, { body: Buffer.from('secret: canary-text') }],
])('%s shows no secret', async (_, request, answer) => {
  const text = await logged(request, answer);
  expect(text).not.toContain('canary');
  expect(text).not.toContain(JWT);
});

test('a failure is logged and passed on', async () => {
  expect(await logged({}, new OutboundError('connection', 'no answer'))).toContain('provider request failed');
});
