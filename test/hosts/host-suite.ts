import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Auth, Clock, Logger, Storage } from '../../src/contract/index.js';
import type { GrantedAuth, HostOperation } from '../../src/hosts/core/index.js';
import { ManualClock } from '../support/clock.js';
import { fakeBackend } from '../support/fake-backend.js';
import type { FakeBackend } from '../support/fake-backend.js';
import { recordingLogger } from '../support/logger.js';

/** What came of a request, whichever host served it. */
export interface Outcome {
  /** HTTP status, or what it would be. */
  readonly status: number;
  readonly data?: Readonly<Record<string, unknown>> | undefined;
  readonly auth?: GrantedAuth | undefined;
  readonly warnings?: readonly string[] | undefined;
}

/** A host as the suite sees it. */
export interface TestHost {
  readonly rootToken: string;
  /** Paths are those of the server, without `/v1/`. */
  call(operation: HostOperation, path: string, options?: CallOptions): Promise<Outcome>;
  close(): Promise<void>;
}

export interface CallOptions {
  readonly data?: Readonly<Record<string, unknown>>;
  /** Default: the root token. `null`: none. */
  readonly token?: string | null;
}

export interface HostSetup {
  readonly factory: FakeBackend['factory'];
  readonly clock: Clock;
  readonly logger: Logger;
  readonly storage?: Storage;
}

const JWT = 'canary-good';

/** What every host must do, with one method mounted at `cloud`. */
export function runHostSuite(name: string, start: (setup: HostSetup) => Promise<TestHost>): void {
  describe(name, () => {
    let clock: ManualClock;
    let backend: FakeBackend;
    let host: TestHost;

    beforeEach(async () => {
      clock = new ManualClock();
      backend = fakeBackend();
      host = await start({ factory: backend.factory, clock, logger: recordingLogger() });
    });
    afterEach(() => host.close());

    const write = (path: string, data = {}, token?: string | null): Promise<Outcome> =>
      host.call('write', path, { data, ...(token !== undefined && { token }) });
    const login = async (grant: Partial<Auth> = {}): Promise<GrantedAuth> => {
      backend.grant = grant;
      const { auth } = await write('auth/cloud/login', { role: 'dev', jwt: JWT }, null);
      return auth!;
    };
    const lookup = async (token: string): Promise<Outcome> => host.call('read', 'auth/token/lookup-self', { token });

    describe('paths of a mount', () => {
      it('writes, reads, lists and deletes', async () => {
        expect((await write('auth/cloud/role/dev', { policies: ['a'] })).status).toBe(204);
        expect(await host.call('read', 'auth/cloud/role/dev')).toMatchObject({
          status: 200,
          data: { policies: ['a'] },
        });
        expect((await host.call('list', 'auth/cloud/role')).data).toEqual({ keys: ['dev'] });
        expect((await host.call('list', 'auth/cloud/role/')).data).toEqual({ keys: ['dev'] });
        expect((await host.call('delete', 'auth/cloud/role/dev')).status).toBe(204);
        expect((await host.call('read', 'auth/cloud/role/dev')).status).toBe(404);
      });

      it('tells creating from updating', async () => {
        await write('auth/cloud/role/dev');
        await write('auth/cloud/role/dev');
        expect(backend.requests.map(({ operation }) => operation)).toEqual(['create', 'update']);
      });

      it('passes warnings on', async () => {
        const answer = await write('auth/cloud/role/dev', { surprise: 1 });
        expect(answer).toMatchObject({ status: 200, warnings: [expect.stringContaining('surprise')] });
      });

      it.each([
        ['read', 'auth/cloud/nothing/here', 404],
        ['read', 'auth/elsewhere/role/dev', 404],
        ['read', 'nonsense', 404],
        ['list', 'auth/cloud/role/dev', 405],
        ['write', 'auth/cloud/role', 405],
        ['read', 'auth/cloud/bug', 500],
        ['read', 'auth/cloud/busy', 503],
      ] as const)('answers to %s %s with %i', async (operation, path, status) => {
        expect((await host.call(operation, path)).status).toBe(status);
      });

      it('gives help', async () => {
        expect((await host.call('help', 'auth/cloud/login')).data).toMatchObject({ synopsis: 'A method for tests.' });
      });
    });

    describe('permissions', () => {
      it.each([
        ['read', 'auth/cloud/role/dev'],
        ['write', 'auth/cloud/role/dev'],
        ['delete', 'auth/cloud/role/dev'],
        ['list', 'auth/cloud/role'],
        ['read', 'auth/elsewhere/role/dev'],
        ['read', 'sys/auth'],
        ['write', 'sys/auth/other'],
        ['write', 'sys/auth/cloud/tune'],
        ['delete', 'sys/auth/cloud'],
        ['read', 'sys/internal/specs/openapi'],
        ['write', 'auth/token/create'],
        ['write', 'auth/token/lookup'],
        ['write', 'auth/token/revoke'],
      ] as const)('refuses %s %s to no token, an unknown one and one of a login', async (operation, path) => {
        const { clientToken } = await login();
        backend.requests.length = 0;
        for (const token of [null, 's.unknown', 'b.unknown', clientToken]) {
          expect(await host.call(operation, path, { token, data: { type: 'cloud' } })).toMatchObject({ status: 403 });
        }
        expect(backend.requests).toEqual([]);
      });

      it('lets tokens with the policy admin administer, but not become root', async () => {
        const { clientToken } = await login({ policies: ['Admin '] });
        expect((await write('auth/cloud/role/dev', {}, clientToken)).status).toBe(204);
        expect((await write('auth/token/create', { policies: ['dev'] }, clientToken)).status).toBe(200);
        expect((await write('auth/token/create', { policies: [' ROOT'] }, clientToken)).status).toBe(403);
        expect((await write('auth/token/create', { policies: ['root'] })).auth?.policies).toEqual(['root']);
      });

      it('lets anyone log in, whatever token they hold', async () => {
        for (const token of [null, 's.stale']) {
          expect((await write('auth/cloud/login', { role: 'dev', jwt: JWT }, token)).status).toBe(200);
          expect((await write('auth/cloud/login/', { role: 'dev', jwt: JWT }, token)).status).toBe(200);
          expect((await write('auth/cloud/login', { role: 'dev', jwt: 'canary-bad' }, token)).status).toBe(403);
          expect((await write('auth/cloud/login/x', { role: 'dev', jwt: JWT }, token)).status).toBe(403);
        }
      });

      it('gives no method the policy root', async () => {
        for (const policies of [['root'], [' Root '], ['dev', 'ROOT']]) {
          backend.grant = { policies };
          expect((await write('auth/cloud/login', { jwt: JWT }, null)).status).toBe(403);
        }
      });
    });

    describe('logins', () => {
      it('mint a token as the method says', async () => {
        const auth = await login({ policies: ['Ops', 'dev', 'dev', ''], ttl: 600, metadata: { role: 'web' } });
        expect(auth).toMatchObject({
          policies: ['default', 'dev', 'ops'],
          metadata: { role: 'web' },
          leaseDuration: 600,
          renewable: true,
          tokenType: 'service',
          orphan: true,
          numUses: 0,
        });
        expect(auth.clientToken).toMatch(/^s\.[\w-]{32}$/);
        expect((await lookup(auth.clientToken)).data).toMatchObject({
          accessor: auth.accessor,
          creation_ttl: 600,
          display_name: 'cloud-machine',
          entity_id: auth.entityId,
          explicit_max_ttl: 0,
          expire_time: new Date(clock.now() + 600_000).toISOString(),
          id: auth.clientToken,
          meta: { role: 'web' },
          num_uses: 0,
          orphan: true,
          path: 'auth/cloud/login',
          policies: ['default', 'dev', 'ops'],
          renewable: true,
          ttl: 600,
          type: 'service',
        });
      });

      it('leave the default policy out when told to', async () => {
        expect((await login({ noDefaultPolicy: true })).policies).toEqual(['dev']);
      });

      it('know a principal again, and tell principals and mounts apart', async () => {
        const first = await login();
        expect(first.entityId).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
        expect((await login()).entityId).toBe(first.entityId);
        expect((await login({ alias: { name: 'principal-2', metadata: {} } })).entityId).not.toBe(first.entityId);
        await write('sys/auth/other', { type: 'cloud' });
        backend.grant = {};
        const other = await write('auth/other/login', { jwt: JWT }, null);
        expect(other.auth?.entityId).not.toBe(first.entityId);
      });

      it('warn when a lifetime is cut', async () => {
        backend.grant = { ttl: 7_200, maxTtl: 3_600 };
        const { auth, warnings } = await write('auth/cloud/login', { jwt: JWT }, null);
        expect(auth?.leaseDuration).toBe(3_600);
        expect(warnings).toEqual([expect.stringContaining('3600')]);
      });
    });

    describe('tokens', () => {
      it('end with their time', async () => {
        const { clientToken } = await login({ ttl: 60 });
        clock.advance(59_999);
        expect((await lookup(clientToken)).status).toBe(200);
        clock.advance(1);
        expect((await lookup(clientToken)).status).toBe(403);
      });

      it('are prolonged by renewal on current terms, up to their maximum', async () => {
        const { clientToken } = await login({ ttl: 60, maxTtl: 150 });
        clock.advance(50_000);
        backend.grant = { ttl: 80, maxTtl: 150 };
        const renewed = await write('auth/token/renew-self', {}, clientToken);
        expect(renewed.auth).toMatchObject({ clientToken, leaseDuration: 80, renewable: true });
        clock.advance(79_000);
        expect((await write('auth/token/renew-self', {}, clientToken)).auth?.leaseDuration).toBe(21);
        clock.advance(21_000);
        expect((await lookup(clientToken)).status).toBe(403);
      });

      it('come to the method for renewal with what it granted', async () => {
        const { clientToken } = await login({ internalData: { role: 'web' } });
        await write('auth/token/renew-self', {}, clientToken);
        expect(backend.requests.at(-1)).toMatchObject({
          operation: 'renew',
          path: 'login',
          auth: { internalData: { role: 'web' } },
        });
      });

      it('run out when the method refuses to renew', async () => {
        const { clientToken } = await login({ ttl: 60 });
        backend.refuseRenewal = new TypeError('no such role');
        expect((await write('auth/token/renew-self', {}, clientToken)).status).toBe(500);
        expect((await lookup(clientToken)).data).toMatchObject({ ttl: 60 });
      });

      it('serve as often as they may, the last time included', async () => {
        const { clientToken } = await login({ numUses: 3 });
        for (const status of [200, 200, 200, 403, 403]) expect((await lookup(clientToken)).status).toBe(status);
      });

      it('serve exactly as often when used at once', async () => {
        const { clientToken } = await login({ numUses: 5 });
        const outcomes = await Promise.all(Array.from({ length: 20 }, () => lookup(clientToken)));
        expect(outcomes.filter(({ status }) => status === 200)).toHaveLength(5);
      });

      it('work only from where they are bound to', async () => {
        const here = await login({ boundCidrs: ['127.0.0.0/8'] });
        const elsewhere = await login({ boundCidrs: ['10.0.0.0/8', '::/0'] });
        expect((await lookup(here.clientToken)).status).toBe(200);
        expect((await lookup(elsewhere.clientToken)).status).toBe(403);
      });

      it('end when revoked, by themselves or by an administrator', async () => {
        const one = await login();
        const two = await login();
        expect((await write('auth/token/revoke-self', {}, one.clientToken)).status).toBe(204);
        expect((await write('auth/token/revoke', { token: two.clientToken })).status).toBe(204);
        for (const { clientToken } of [one, two]) expect((await lookup(clientToken)).status).toBe(403);
        expect((await write('auth/token/revoke', { token: two.clientToken })).status).toBe(404);
      });

      it('take their children along, at any depth', async () => {
        const parent = await login({ policies: ['admin'] });
        const child = (await write('auth/token/create', {}, parent.clientToken)).auth!;
        const grandchild = (await write('auth/token/create', {}, child.clientToken)).auth!;
        const orphan = (await write('auth/token/create', { no_parent: true }, parent.clientToken)).auth!;
        expect([child.orphan, orphan.orphan]).toEqual([false, true]);
        await write('auth/token/revoke-self', {}, parent.clientToken);
        for (const { clientToken } of [child, grandchild]) expect((await lookup(clientToken)).status).toBe(403);
        expect((await lookup(orphan.clientToken)).status).toBe(200);
      });

      it('end with the mount that vouches for them', async () => {
        const service = await login();
        const batch = await login({ tokenType: 'batch' });
        expect((await host.call('delete', 'sys/auth/cloud')).status).toBe(204);
        for (const { clientToken } of [service, batch]) expect((await lookup(clientToken)).status).toBe(403);
        expect(backend.cleanups).toBe(1);
      });

      it('cannot be had from a mount that is disabled during the login', async () => {
        let release: () => void = () => undefined;
        backend.gate = new Promise<void>((resolve) => (release = resolve));
        const pending = write('auth/cloud/login', { jwt: JWT }, null);
        while (backend.requests.length === 0) await new Promise((resolve) => setImmediate(resolve));
        await host.call('delete', 'sys/auth/cloud');
        release();
        expect((await pending).status).toBe(404);
      });

      it('cannot be made with tokens that count their uses', async () => {
        const { clientToken } = await login({ policies: ['admin'], numUses: 5 });
        expect((await write('auth/token/create', {}, clientToken)).status).toBe(400);
      });

      it('leave the root token as it is', async () => {
        expect((await write('auth/token/revoke-self')).status).toBe(400);
        expect((await write('auth/token/renew-self')).status).toBe(400);
        expect((await lookup(host.rootToken)).data).toMatchObject({ policies: ['root'], expire_time: null, ttl: 0 });
      });
    });

    describe('batch tokens', () => {
      it('work like others but have no accessor, and cannot be renewed or revoked', async () => {
        const auth = await login({ tokenType: 'batch', policies: ['admin'], ttl: 60, boundCidrs: ['127.0.0.1'] });
        expect(auth).toMatchObject({ accessor: '', tokenType: 'batch', renewable: false, leaseDuration: 60 });
        expect(auth.clientToken).toMatch(/^b\./);
        expect((await lookup(auth.clientToken)).data).toMatchObject({ type: 'batch', ttl: 60 });
        for (const path of ['renew-self', 'revoke-self', 'create']) {
          expect((await write(`auth/token/${path}`, {}, auth.clientToken)).status).toBe(400);
        }
        clock.advance(60_000);
        expect((await lookup(auth.clientToken)).status).toBe(403);
      });

      it('are refused once changed', async () => {
        const { clientToken } = await login({ tokenType: 'batch' });
        const middle = Math.floor(clientToken.length / 2);
        const other = clientToken.charAt(middle) === 'A' ? 'B' : 'A';
        const changed = clientToken.slice(0, middle) + other + clientToken.slice(middle + 1);
        expect((await lookup(changed)).status).toBe(403);
      });

      it.each([{ numUses: 1 }, { period: 60 }])('are refused with %j', async (grant) => {
        backend.grant = { ...grant, tokenType: 'batch' };
        expect((await write('auth/cloud/login', { jwt: JWT }, null)).status).toBe(400);
      });

      it.each([
        ['', 'default-service', 'service'],
        ['default', 'default-batch', 'batch'],
        ['', 'batch', 'batch'],
        ['service', 'default-batch', 'service'],
        ['default-batch', 'default-service', 'batch'],
        ['default-service', 'batch', 'service'],
      ] as const)('asked as %j of a mount tuned to %s, %s it is', async (tokenType, tuned, expected) => {
        await write('sys/auth/cloud/tune', { token_type: tuned });
        expect((await login({ tokenType })).tokenType).toBe(expected);
      });
    });

    describe('mounts', () => {
      it('are enabled, listed and disabled, each with its own storage', async () => {
        expect((await write('sys/auth/team/eu', { type: 'cloud', description: 'Europe' })).status).toBe(204);
        await write('auth/team/eu/role/dev', { policies: ['eu'] });
        expect((await host.call('read', 'auth/cloud/role/dev')).status).toBe(404);
        const { data } = await host.call('read', 'sys/auth');
        expect(Object.keys(data ?? {})).toEqual(['cloud/', 'team/eu/']);
        expect(data?.['team/eu/']).toMatchObject({ type: 'cloud', description: 'Europe' });
        const accessors = Object.values(data ?? {}).map((mount) => (mount as { accessor: string }).accessor);
        expect(new Set(accessors).size).toBe(2);
        for (const accessor of accessors) expect(accessor).toMatch(/^auth_cloud_[0-9a-f]{8}$/);

        expect((await host.call('delete', 'sys/auth/team/eu')).status).toBe(204);
        expect((await host.call('read', 'auth/team/eu/role/dev')).status).toBe(404);
        await write('sys/auth/team/eu', { type: 'cloud' });
        expect((await host.call('read', 'auth/team/eu/role/dev')).status).toBe(404);
      });

      it.each([
        'cloud',
        'cloud/eu',
        'token',
        'token/x',
        'a/tune',
        '',
        '../x',
        'a//b',
        'a b',
        '.hidden',
        'x'.repeat(300),
      ])('are refused at %j', async (path) => {
        const { status } = await write(`sys/auth/${path}`, { type: 'cloud' });
        expect([400, 404, 405]).toContain(status);
        expect(backend.services).toHaveLength(1);
      });

      it('are refused above another', async () => {
        await write('sys/auth/team/eu', { type: 'cloud' });
        expect((await write('sys/auth/team', { type: 'cloud' })).status).toBe(400);
      });

      it.each([{}, { type: 'nothing' }, { type: 5 }, { type: '__proto__' }, { type: 'cloud', config: [] }])(
        'are refused with %j',
        async (data) => {
          expect((await write('sys/auth/other', data)).status).toBe(400);
        },
      );

      it('that cannot start are not enabled', async () => {
        backend.refuseStart = new TypeError('no');
        expect((await write('sys/auth/other', { type: 'cloud' })).status).toBe(500);
        backend.refuseStart = undefined;
        expect(backend.cleanups).toBe(1);
        expect((await write('sys/auth/other', { type: 'cloud' })).status).toBe(204);
      });

      it('are tuned, which the method and new tokens notice', async () => {
        const { system } = backend.services[0]!;
        expect((await write('sys/auth/cloud/tune', { default_lease_ttl: '10m', max_lease_ttl: 3_600 })).status).toBe(
          204,
        );
        expect([await system.defaultLeaseTtl(), await system.maxLeaseTtl()]).toEqual([600, 3_600]);
        expect((await host.call('read', 'sys/auth/cloud/tune')).data).toMatchObject({ max_lease_ttl: 3_600 });
        expect((await login()).leaseDuration).toBe(600);
        expect((await login({ ttl: 9_999 })).leaseDuration).toBe(3_600);
      });

      it.each([
        { default_lease_ttl: -1 },
        { max_lease_ttl: '1x' },
        { max_lease_ttl: 1.5 },
        { token_type: 'golden' },
        { description: {} },
      ])('are not tuned to %j', async (data) => {
        expect((await write('sys/auth/cloud/tune', data)).status).toBe(400);
      });
    });
  });
}
