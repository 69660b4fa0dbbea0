import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createMemoryHost } from '../../src/hosts/memory/index.js';
import type { MemoryHost } from '../../src/hosts/memory/index.js';
import { fakeBackend } from '../support/fake-backend.js';
import { recordingLogger } from '../support/logger.js';

let host: MemoryHost;
let logger: ReturnType<typeof recordingLogger>;

beforeEach(async () => {
  logger = recordingLogger();
  host = await createMemoryHost({ factory: fakeBackend({ policies: ['admin'], numUses: 1 }).factory, logger });
});
afterEach(() => host.close());

describe('the last use of a token that counts them', () => {
  it.each([{ no_parent: true }, { type: 'batch' }, {}])('cannot make another token with %j', async (data) => {
    const { clientToken } = await host.login({ role: 'dev', jwt: 'canary-good' });
    await expect(host.write('/auth/token/create', data, { token: clientToken })).rejects.toMatchObject({
      code: 'invalid_request',
    });
  });

  it('still looks the token up', async () => {
    const { clientToken } = await host.login({ role: 'dev', jwt: 'canary-good' });
    const answer = await host.read('/auth/token/lookup-self', { token: clientToken });
    expect(answer?.data?.['id'] === clientToken).toBe(true);
  });
});

describe('log lines', () => {
  it('leave out a token that a client put into the path', async () => {
    const { clientToken } = await host.login({ role: 'dev', jwt: 'canary-good' });
    await expect(host.read(`/auth/token/lookup/${clientToken}`)).rejects.toMatchObject({ code: 'not_found' });
    expect(JSON.stringify(logger.lines).includes(clientToken)).toBe(false);
    expect(logger.lines.at(-1)?.fields).toMatchObject({ path: 'auth/token/lookup' });
  });
});
