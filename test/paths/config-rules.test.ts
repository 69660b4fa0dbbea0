import { describe, expect, test } from '@jest/globals';
import { refused } from '../support/refused.js';
import { CONFIG, Mount } from './mount.js';

const CREDENTIALS = { client_id: 'client', client_secret: 'canary-client-secret' };
const FEDERATION = { client_id: 'client', identity_token_audience: 'api://federation' };
const SCHEDULE_TAKES = 'takes five cron fields that come true some day, for instance "0 0 * * SAT"';

describe('rotation and credentials', () => {
  test.each<[string, object]>([
    ['credentials', CREDENTIALS],
    ['a client id alone', { client_id: 'client' }],
    ['federation', FEDERATION],
    ['federation, with the secret set to nothing', { ...FEDERATION, client_secret: '' }],
    ['pinned credentials', { ...CREDENTIALS, auth_type: 'root_creds' }],
    ['pinned federation', { ...FEDERATION, auth_type: 'plugin_wif' }],
    ['a period', { ...CREDENTIALS, rotation_period: 5 }],
    ['a period of zero with a schedule', { ...CREDENTIALS, rotation_period: 0, rotation_schedule: '0 0 * * *' }],
    ['a schedule', { ...CREDENTIALS, rotation_schedule: '0 0 * * SAT' }],
    ['a schedule with a window', { ...CREDENTIALS, rotation_schedule: '0 0 * * SAT', rotation_window: 3_600 }],
    [
      'a schedule that is switched off',
      { ...CREDENTIALS, rotation_schedule: '0 0 * * *', disable_automated_rotation: true },
    ],
    ['no rotation without credentials', { rotation_period: 0, rotation_schedule: '', rotation_window: 0 }],
  ])('takes %s', async (_, fields) => {
    await expect(new Mount().write('config', { ...CONFIG, ...fields })).resolves.toBeUndefined();
  });

  test.each<[string, object, string, string]>([
    [
      'federation with a secret',
      { ...CREDENTIALS, ...FEDERATION },
      'identity_token_audience',
      'cannot be set together with client_secret; set one of them to ""',
    ],
    [
      'federation without a client',
      { identity_token_audience: 'api://federation' },
      'client_id',
      'is required with identity_token_audience',
    ],
    [
      'credentials that are pinned and not there',
      { client_id: 'client', auth_type: 'root_creds' },
      'auth_type',
      'got "root_creds", which needs client_id and client_secret',
    ],
    [
      'federation that is pinned and not there',
      { ...CREDENTIALS, auth_type: 'plugin_wif' },
      'auth_type',
      'got "plugin_wif", which needs client_id and identity_token_audience',
    ],
    [
      'a period and a schedule',
      { ...CREDENTIALS, rotation_period: 60, rotation_schedule: '0 0 * * *' },
      'rotation_schedule',
      'cannot be set together with rotation_period; set one of them to "" or 0',
    ],
    [
      'a window with a period',
      { ...CREDENTIALS, rotation_period: 60, rotation_window: 60 },
      'rotation_window',
      'cannot be set together with rotation_period',
    ],
    ['a window alone', { ...CREDENTIALS, rotation_window: 60 }, 'rotation_window', 'needs rotation_schedule'],
    [
      'a period with federation',
      { ...FEDERATION, rotation_period: 60 },
      'rotation_period',
      'cannot rotate with identity_token_audience: there is no client secret',
    ],
    [
      'a schedule with federation',
      { ...FEDERATION, rotation_schedule: '0 0 * * *' },
      'rotation_schedule',
      'cannot rotate with identity_token_audience: there is no client secret',
    ],
    [
      'a period without credentials',
      { rotation_period: 60 },
      'rotation_period',
      'needs client_id and client_secret in the configuration: those of environment variables cannot be rotated',
    ],
    [
      'a schedule without a secret',
      { client_id: 'client', rotation_schedule: '0 0 * * *' },
      'rotation_schedule',
      'needs client_id and client_secret in the configuration: those of environment variables cannot be rotated',
    ],
  ])('refuses %s', async (_, fields, field, text) => {
    const mount = new Mount();
    await expect(mount.write('config', { ...CONFIG, ...fields })).rejects.toMatchObject(
      refused('invalid_request', `${field}: ${text}`, field),
    );
    expect(mount.storage.calls).not.toContain('put config');
  });

  test('refuses to rotate what only environment variables supply', async () => {
    const env = { CLOUD_CLIENT_ID: 'client', CLOUD_CLIENT_SECRET: 'canary-from-the-environment' };
    await expect(new Mount({ env }).write('config', { ...CONFIG, rotation_period: 60 })).rejects.toMatchObject(
      refused(
        'invalid_request',
        /^rotation_period: needs client_id and client_secret in the configuration/,
        'rotation_period',
      ),
    );
  });
});

describe('rotation_schedule', () => {
  const write = (schedule: string) =>
    new Mount().write('config', { ...CONFIG, ...CREDENTIALS, rotation_schedule: schedule });

  test.each(['0 0 * * SAT', '*/5 * * * *', '0 0 29 2 *', '0 0 31 1,3 *', ' 0  0 * *\t1-5 ', '59 23 31 12 7'])(
    'takes %j',
    async (schedule) => {
      await expect(write(schedule)).resolves.toBeUndefined();
    },
  );

  test.each([
    ['30 February', '0 0 30 2 *'],
    ['31 April or June', '0 0 31 4,6 *'],
    ['six fields', '0 0 0 * * SAT'],
    ['four fields', '0 0 * *'],
    ['a nickname', '@daily'],
    ['a minute too many', '60 * * * *'],
    ['a day of the week too many', '* * * * 8'],
    ['a step of zero', '*/0 * * * *'],
    ['a range that runs backwards', '5-1 * * * *'],
    ['words', 'every now and then please'],
    ['a date', '2026-01-01T00:00:00Z'],
    ['blanks', '    '],
  ])('refuses %s', async (_, schedule) => {
    await expect(write(schedule)).rejects.toMatchObject(
      refused(
        'invalid_request',
        `rotation_schedule: got ${JSON.stringify(schedule)}; ${SCHEDULE_TAKES}`,
        'rotation_schedule',
      ),
    );
  });
});
