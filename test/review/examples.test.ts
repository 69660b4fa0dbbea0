import { expect, test } from '@jest/globals';
import { generateKeyPair } from 'jose';
import { createEmbeddingServer } from '../../examples/embed/server.js';
import { createGateway } from '../../examples/gateway/gateway.js';
import { recordingLogger } from '../support/logger.js';

const TOO_LARGE = JSON.stringify({ jwt: 'x'.repeat(1024 * 1024) });

test('the gateway example takes bodies of bounded size', async () => {
  const { backend } = await createEmbeddingServer(recordingLogger(), { env: {} });
  const gateway = createGateway({
    backend,
    keys: await generateKeyPair('ES256'),
    issuer: 'https://gateway.example.com',
    isLockedOut: () => false,
    addressOf: () => undefined,
  });
  const answer = await gateway.request('/login', { method: 'POST', body: TOO_LARGE });
  expect([answer.status, await answer.json()]).toEqual([413, { errors: ['the body is over 65536 bytes'] }]);
  await backend.cleanup();
});
