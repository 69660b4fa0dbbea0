import { inspect } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { Failures } from '../../src/cloud/failures.js';
import { AuthMethodError, OutboundError } from '../../src/contract/index.js';
import { ManualClock } from '../support/clock.js';
import { recordingLogger } from '../support/logger.js';
import { answer } from './fakes.js';

const manager = (code: string, message = 'canary-quoted'): object => ({ error: { code, message } });
const directory = (error: string): object => ({ error, error_description: 'canary-quoted', error_codes: [7000215] });

function setUp(): { failures: Failures; logger: ReturnType<typeof recordingLogger> } {
  const logger = recordingLogger();
  return { failures: new Failures(logger, new ManualClock()), logger };
}

describe("a provider's answer", () => {
  test.each([
    ['resource manager', 404, manager('ResourceNotFound'), 'not_found'],
    ['resource manager', 404, manager('ResourceGroupNotFound'), 'not_found'],
    ['resource manager', 404, manager('SubscriptionNotFound'), 'not_found'],
    ['resource manager', 404, manager('InvalidResourceType'), 'not_found'],
    ['resource manager', 404, manager('InvalidResourceNamespace'), 'not_found'],
    ['resource manager', 404, manager('Request_ResourceNotFound'), 'provider_unavailable'],
    ['resource manager', 404, '<html>proxy</html>', 'provider_unavailable'],
    ['resource manager', 404, manager('__proto__'), 'provider_unavailable'],
    ['resource manager', 400, manager('ResourceNotFound'), 'provider_unavailable'],
    ['resource manager', 401, manager('InvalidAuthenticationToken'), 'not_configured'],
    ['resource manager', 403, manager('AuthorizationFailed'), 'not_configured'],
    ['resource manager', 403, '', 'not_configured'],
    ['resource manager', 302, '', 'provider_unavailable'],
    ['resource manager', 204, '', 'provider_unavailable'],
    ['resource manager', 500, manager('InternalServerError'), 'provider_unavailable'],
    ['directory', 401, directory('invalid_client'), 'not_configured'],
    ['directory', 400, directory('unauthorized_client'), 'not_configured'],
    ['directory', 400, directory('invalid_scope'), 'not_configured'],
    ['directory', 400, directory('temporarily_unavailable'), 'provider_unavailable'],
    ['directory', 403, 'blocked by a proxy', 'provider_unavailable'],
    ['directory', 404, directory('invalid_client'), 'provider_unavailable'],
    ['graph', 404, manager('Request_ResourceNotFound'), 'not_found'],
    ['graph', 404, manager('ResourceNotFound'), 'provider_unavailable'],
    ['graph', 403, manager('Authorization_RequestDenied'), 'not_configured'],
    ['directory', 429, directory('invalid_client'), 'provider_unavailable'],
    ['directory', 503, '', 'provider_unavailable'],
    ['metadata service', 400, directory('invalid_request'), 'not_configured'],
    ['metadata service', 403, '', 'not_configured'],
    ['metadata service', 404, directory('invalid_request'), 'provider_unavailable'],
    ['metadata service', 410, '', 'provider_unavailable'],
    ['application', 404, manager('Request_ResourceNotFound'), 'not_found'],
    ['application', 403, manager('Authorization_RequestDenied'), 'not_configured'],
    ['application', 400, manager('Request_BadRequest'), 'provider_unavailable'],
  ] as const)('of the %s, status %i, body %j, means %s', (provider, status, body, code) => {
    expect(setUp().failures.fromAnswer(provider, answer(status, body))).toMatchObject({ code });
  });

  test.each([
    ['17', 17],
    ['0', 1],
    ['3601', 3600],
    ['Thu, 01 Jan 2026 00:01:00 GMT', 60],
    ['Wed, 31 Dec 2025 00:00:00 GMT', 1],
    ['-1', 1],
    ['canary-soon', 5],
    [undefined, 5],
  ])('passes on how long to wait, within limits: %j becomes %i', (header, retryAfter) => {
    const reply = answer(503, '', header === undefined ? {} : { 'retry-after': header });
    expect(setUp().failures.fromAnswer('directory', reply)).toMatchObject({ retryAfter });
  });

  test('is told to operators by status and codes', () => {
    const { failures, logger } = setUp();
    failures.fromAnswer('directory', answer(401, directory('invalid_client')));
    expect(logger.lines).toMatchObject([
      { level: 'warn', fields: { status: 401, code: 'invalid_client', number: 7000215 } },
    ]);
  });

  test('that nothing is there is no news for operators', () => {
    const { failures, logger } = setUp();
    failures.fromAnswer('resource manager', answer(404, manager('ResourceNotFound')));
    expect(logger.lines).toEqual([]);
  });

  test.each(['canary-quoted', 'x'.repeat(65), 'two words', 'line\nbreak'])(
    'is not quoted when its code is %j',
    (code) => {
      const { failures, logger } = setUp();
      const error = failures.fromAnswer('resource manager', answer(403, manager(code)));
      expect(inspect([error, logger.lines], { depth: 9 })).not.toContain(code);
      expect(inspect([error, logger.lines], { depth: 9 })).not.toContain('canary');
    },
  );
});

describe('an exception', () => {
  test('of this package is passed on and not logged again', () => {
    const { failures, logger } = setUp();
    const error = new AuthMethodError('not_configured', 'Something is missing.');
    expect(failures.fromException('directory', error)).toBe(error);
    expect(logger.lines).toEqual([]);
  });

  test.each([
    new OutboundError('connection', 'lost'),
    new OutboundError('aborted', 'late'),
    new TypeError('bug'),
    'text',
  ])('such as %s is an outage', (error) => {
    const outage = { code: 'provider_unavailable', retryAfter: 5 };
    expect(setUp().failures.fromException('directory', error)).toMatchObject(outage);
  });

  test('of an SDK leaves its text behind', () => {
    const { failures, logger } = setUp();
    const error = failures.fromException('resource manager', new Error('cannot parse canary-body'));
    expect(inspect([error, logger.lines], { depth: 9 })).not.toContain('canary');
  });
});
