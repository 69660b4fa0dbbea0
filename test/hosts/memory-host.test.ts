import { describe, expect, it } from '@jest/globals';
import { AuthMethodError } from '../../src/contract/index.js';
import type { HostAnswer } from '../../src/hosts/core/index.js';
import { createMemoryHost } from '../../src/hosts/memory/index.js';
import type { MemoryHost } from '../../src/hosts/memory/index.js';
import { ManualClock } from '../support/clock.js';
import { fakeBackend } from '../support/fake-backend.js';
import { recordingLogger } from '../support/logger.js';
import { runHostSuite } from './host-suite.js';
import type { CallOptions, Outcome } from './host-suite.js';

runHostSuite('the memory host', async (setup) => {
  const host = await createMemoryHost(setup);
  return {
    rootToken: host.rootToken,
    close: () => host.close(),
    call: async (operation, path, { data = {}, token }: CallOptions = {}): Promise<Outcome> => {
      const caller = { ...(token !== undefined && { token: token ?? 's.none' }) };
      const calls: Record<typeof operation, () => Promise<HostAnswer | undefined>> = {
        write: () => host.write(`/${path}`, data, caller),
        read: () => host.read(`/${path}`, caller),
        list: () => host.list(`/${path}`, caller),
        delete: () => host.delete(`/${path}`, caller),
        help: () => host.help(`/${path}`, caller),
      };
      try {
        const answer = await calls[operation]();
        const silent = operation === 'write' || operation === 'delete' ? 204 : 404;
        return answer === undefined ? { status: silent } : { ...answer, status: 200 };
      } catch (error) {
        return { status: error instanceof AuthMethodError ? error.status : 500 };
      }
    },
  };
});

describe('the memory host in unit tests of roles', () => {
  const start = async (): Promise<{ host: MemoryHost; clock: ManualClock }> => {
    const clock = new ManualClock();
    const host = await createMemoryHost({ factory: fakeBackend().factory, clock, logger: recordingLogger() });
    return { host, clock };
  };

  it('takes paths below the mount, and addresses', async () => {
    const { host } = await start();
    await host.write('role/dev', { policies: ['a'] });
    expect((await host.read('role/dev'))?.data).toEqual({ policies: ['a'] });
    expect(await host.storage.list('role/')).toEqual(['dev']);
    expect(host.mount.path).toBe('cloud');

    const { clientToken } = await host.login({ jwt: 'canary-good' }, { remoteAddress: '10.1.2.3' });
    expect(await host.lookup(clientToken)).toMatchObject({ path: 'auth/cloud/login' });
    expect((await host.renew(clientToken)).clientToken).toBe(clientToken);
    await host.revoke(clientToken);
    await expect(host.lookup(clientToken)).rejects.toMatchObject({ code: 'not_found' });
    await expect(host.login({ jwt: 'canary-bad' })).rejects.toMatchObject({ code: 'login_denied' });
    await host.close();
  });

  it('mounts elsewhere when asked, and takes a root token', async () => {
    const options = { factory: fakeBackend().factory, mount: 'team/eu', rootToken: 'canary-root' };
    const host = await createMemoryHost({ ...options, logger: recordingLogger() });
    expect((await host.list('/auth/team/eu/role', { token: 'canary-root' }))?.data).toEqual({ keys: [] });
    await host.close();
    await expect(createMemoryHost({ ...options, rootToken: '' })).rejects.toMatchObject({ code: 'invalid_request' });
  });

  it('serves nothing once closed', async () => {
    const { host } = await start();
    await host.close();
    await host.close();
    await expect(host.read('role/dev')).rejects.toMatchObject({ status: 503 });
  });
});
