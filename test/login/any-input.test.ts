import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { toPublicError } from '../../src/contract/index.js';
import type { PublicError } from '../../src/contract/index.js';
import { CONFIG_FIELDS } from '../../src/paths/config-fields.js';
import { LOGIN_FIELDS } from '../../src/paths/login-request.js';
import { ROLE_FIELDS } from '../../src/paths/role-fields.js';
import { createKey, createScene, goodHeader, signRaw, tokenOf } from '../jwt/fake-directory.js';
import { CONFIG, MACHINE_LOGIN, Mount, mountWithRole, OBJECT, SUBSCRIPTION, vm } from '../paths/mount.js';
import { runs } from './seeded.js';

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom('', '*', 'dev', 'rg', 'web', '-1', '5s', 'a,b', '\0', '../config', '__proto__', 'constructor', '٣'),
  fc.constantFrom(
    SUBSCRIPTION,
    OBJECT,
    vm('web'),
    '10.0.0.0/8',
    'CloudPublicCloud',
    'https://api.example/',
    'x'.repeat(20_000),
  ),
);
const value = fc.oneof({ weight: 3, arbitrary: text }, fc.jsonValue(), fc.array(text, { maxLength: 4 }));

/** Any JSON object, mostly of the fields that a path takes. */
function bodies(fields: object): fc.Arbitrary<Record<string, unknown>> {
  const name = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...Object.keys(fields)) },
    fc.constantFrom('__proto__', 'constructor', 'toString', 'hasOwnProperty', ''),
    fc.string({ unit: 'binary', maxLength: 12 }),
  );
  return fc
    .array(fc.tuple(name, value), { maxLength: 8 })
    .map((entries) => Object.fromEntries(entries) as Record<string, unknown>);
}

/** What a caller is told of a rejection; absent when there was none. */
async function outcome(work: Promise<unknown>): Promise<PublicError | undefined> {
  return work.then(() => undefined, toPublicError);
}

/** Whatever comes of it, it is no fault of the method's. */
function expectNoCrash(error: PublicError | undefined): void {
  expect([200, 400, 403]).toContain(error?.status ?? 200);
}

describe('no body makes the method crash', () => {
  test('of a login, and of its explanation, which come to the same', async () => {
    const mount = await mountWithRole({ bound_subscription_ids: [SUBSCRIPTION] });
    mount.lookups.machine = { id: vm('web'), location: 'westeurope', systemPrincipalId: OBJECT, userAssigned: [] };
    const granted: boolean[] = [];
    await fc.assert(
      fc.asyncProperty(bodies(LOGIN_FIELDS), fc.boolean(), async (changes, isNearlyRight) => {
        const body = isNearlyRight ? { ...MACHINE_LOGIN, ...changes } : changes;
        const error = await outcome(mount.write('login', body));
        expectNoCrash(error);
        const explained = await mount.write('login/explain', body).catch(() => undefined);
        granted.push(error === undefined);
        expect(explained?.data?.['granted'] ?? false).toBe(error === undefined);
      }),
      runs(500),
    );
    expect(new Set(granted)).toEqual(new Set([true, false]));
  });

  test('of a role, which is there afterwards if it was accepted', async () => {
    const mount = new Mount();
    await mount.write('config', CONFIG);
    let written = 0;
    await fc.assert(
      fc.asyncProperty(bodies(ROLE_FIELDS), fc.boolean(), async (changes, isNearlyRight) => {
        await mount.request('delete', 'role/dev');
        const error = await outcome(
          mount.write('role/dev', isNearlyRight ? { bound_locations: ['westeurope'], ...changes } : changes),
        );
        expectNoCrash(error);
        expect((await mount.read('role/dev')) === undefined).toBe(error !== undefined);
        if (error === undefined) written += 1;
        expectNoCrash(await outcome(mount.write('login', MACHINE_LOGIN)));
      }),
      runs(500),
    );
    expect(written).toBeGreaterThan(20);
  });

  test('of the configuration', async () => {
    const mount = await mountWithRole({ bound_service_principal_ids: [OBJECT] });
    let written = 0;
    await fc.assert(
      fc.asyncProperty(bodies(CONFIG_FIELDS), async (body) => {
        await mount.request('delete', 'config');
        const error = await outcome(mount.write('config', { ...CONFIG, ...body }));
        expectNoCrash(error);
        if (error === undefined) written += 1;
        expectNoCrash(await outcome(mount.write('login', MACHINE_LOGIN)));
      }),
      runs(500),
    );
    expect(written).toBeGreaterThan(20);
  });

  test('at any path', async () => {
    const mount = await mountWithRole({ bound_service_principal_ids: [OBJECT] });
    const path = fc
      .tuple(fc.constantFrom('', 'role/', 'login/', 'config/', '../'), text)
      .map((parts) => parts.join(''));
    const operation = fc.constantFrom('create', 'update', 'read', 'delete', 'list', 'renew', 'resolve-role', 'help');
    await fc.assert(
      fc.asyncProperty(operation, path, bodies(ROLE_FIELDS), async (...[asked, where, body]) => {
        const error = await outcome(mount.request(asked, where, body));
        // A renewal without the auth of a login is the host's mistake.
        expect(error?.status === 500 && asked !== 'renew').toBe(false);
      }),
      runs(500),
    );
  });
});

describe('no claims make the validator crash', () => {
  const key = createKey('first');
  const names = ['iss', 'tid', 'ver', 'aud', 'exp', 'nbf', 'iat', 'oid', 'appid', 'azp', 'groups', 'hasgroups'];
  const more = ['_claim_names', 'xms_az_rid', 'xms_mirid', '__proto__', 'constructor'];
  const claims = fc.dictionary(fc.constantFrom(...names, ...more), value, { maxKeys: 4 });

  test('signed ones with any values', async () => {
    const { validate } = createScene(key);
    await fc.assert(
      fc.asyncProperty(claims, async (changes) => {
        expectNoCrash(await outcome(validate(tokenOf(key, changes))));
      }),
      runs(200),
    );
  });

  test('signed bytes of any kind', async () => {
    const { validate } = createScene(key);
    const header = JSON.stringify(goodHeader(key));
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.uint8Array({ maxLength: 64 }), fc.json()), async (payload) => {
        expect(await outcome(validate(signRaw(header, payload, key)))).toMatchObject({ status: 403 });
      }),
      runs(100),
    );
  });

  test('texts that are hardly tokens', async () => {
    const { validate, directory } = createScene(key);
    const part = fc.oneof(fc.base64String({ maxLength: 40 }), text, fc.constantFrom(...tokenOf(key).split('.')));
    await fc.assert(
      fc.asyncProperty(fc.array(part, { maxLength: 5 }), async (parts) => {
        fc.pre(parts.join('.') !== tokenOf(key));
        expect(await outcome(validate(parts.join('.')))).toMatchObject({ status: 403 });
      }),
      runs(500),
    );
    // Discovery and keys: whatever is presented, no more is fetched.
    expect(directory.requests.length).toBeLessThan(3);
  });
});
