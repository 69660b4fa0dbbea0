import { describe, expect, test } from '@jest/globals';
import { Ajv } from 'ajv';
import { fieldReader } from '../../src/framework/read-fields.js';
import { CONFIG_FIELDS } from '../../src/paths/config-fields.js';
import { LOGIN_FIELDS } from '../../src/paths/login-request.js';
import { ROLE_FIELDS } from '../../src/paths/role-fields.js';
import { FakeCloudLookups, FakeTokenValidator } from '../support/fake-modules.js';
import { createBackend } from '../../src/backend.js';
import { ManualClock } from '../support/clock.js';
import { fakeSystem } from '../support/fake-system.js';
import { recordingLogger } from '../support/logger.js';
import { WatchedStorage } from '../support/watched-storage.js';

type Json = Record<string, unknown>;

const services = {
  storage: new WatchedStorage(),
  system: fakeSystem(),
  logger: recordingLogger(),
  clock: new ManualClock(),
};
const modules = { tokenValidator: new FakeTokenValidator(new Error()), cloudLookups: new FakeCloudLookups() };
const backend = createBackend(services, { env: {}, modules });
const document = backend.openapi();

function item(path: string): Json {
  return document.paths[path] as Json;
}

function bodySchema(path: string): { properties: Record<string, Json>; required?: string[] } {
  const post = item(path)['post'] as { requestBody: { content: Record<string, { schema: unknown }> } };
  return post.requestBody.content['application/json']!.schema as ReturnType<typeof bodySchema>;
}

describe('the OpenAPI document', () => {
  test('has what version 3.0 demands at its top', () => {
    expect(document.openapi).toMatch(/^3\.0\.\d$/);
    expect(document.info).toMatchObject({ title: expect.any(String), version: expect.any(String) });
    expect(JSON.parse(JSON.stringify(document))).toEqual(document);
  });

  test('has every path with its operations', () => {
    const methods = ['get', 'post', 'delete', 'put', 'patch'];
    const operations = Object.entries(document.paths).map(([path, entry]) => [
      path,
      Object.keys(entry).filter((key) => methods.includes(key)),
    ]);
    expect(Object.fromEntries(operations)).toEqual({
      '/config': ['post', 'get', 'delete'],
      '/rotate-root': ['post', 'get'],
      '/role/{name}': ['post', 'get', 'delete'],
      '/role': ['get'],
      '/login': ['post'],
      '/login/explain': ['post'],
    });
  });

  test('declares the parameters of each path template, and no others', () => {
    for (const [path, entry] of Object.entries(document.paths)) {
      const declared = ((entry['parameters'] ?? []) as Json[]).map((parameter) => {
        expect(parameter).toMatchObject({ in: 'path', required: true, schema: { type: 'string' } });
        return parameter['name'];
      });
      expect(declared).toEqual([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name));
    }
  });

  test('gives each operation a summary and an answer', () => {
    for (const entry of Object.values(document.paths)) {
      for (const method of ['get', 'post', 'delete']) {
        if (entry[method] === undefined) continue;
        expect(entry[method]).toMatchObject({
          summary: expect.stringMatching(/\.$/),
          responses: { '200': { description: expect.any(String) } },
        });
      }
    }
  });

  test.each([
    ['/config', CONFIG_FIELDS],
    ['/role/{name}', ROLE_FIELDS],
    ['/login', LOGIN_FIELDS],
  ])('lists every field of %s with a schema that compiles', (path, fields) => {
    const { properties } = bodySchema(path);
    expect(Object.keys(properties)).toEqual(Object.keys(fields));
    for (const schema of Object.values(properties)) {
      expect(schema['description']).toMatch(/\. Takes .+\.$|\. Deprecated: use token_\w+\.$/);
      expect(() => new Ajv({ strict: false, validateFormats: false }).compile(schema)).not.toThrow();
    }
  });

  test.each([
    ['/config', CONFIG_FIELDS],
    ['/role/{name}', ROLE_FIELDS],
  ])('shows defaults that %s itself takes', (path, fields) => {
    const defaults = Object.entries(bodySchema(path).properties).flatMap(([name, schema]) =>
      'default' in schema ? [[name, schema['default']] as const] : [],
    );
    expect(defaults.length).toBeGreaterThan(10);
    expect(fieldReader(fields, [])(Object.fromEntries(defaults), [])).toEqual(Object.fromEntries(defaults));
  });

  test('says what is required, what is secret and what is deprecated', () => {
    expect(bodySchema('/login').required).toEqual(['role', 'jwt']);
    expect(bodySchema('/login').properties['jwt']).toMatchObject({ format: 'password', writeOnly: true });
    expect(bodySchema('/config').properties['client_secret']).toMatchObject({ format: 'password' });
    expect(bodySchema('/config').required).toBeUndefined();
    const old = Object.entries(bodySchema('/role/{name}').properties).filter(([, schema]) => schema['deprecated']);
    expect(old.map(([name]) => name)).toEqual(['policies', 'ttl', 'max_ttl', 'period', 'num_uses']);
  });

  test('marks the one path that needs no service token', () => {
    const open = Object.entries(document.paths).filter(([, entry]) => entry['x-vault-unauthenticated']);
    expect(open.map(([path]) => path)).toEqual(['/login']);
    expect(backend.specialPaths.unauthenticated).toEqual(['login']);
  });

  test('documents the list as the query form', () => {
    expect(item('/role')['get']).toMatchObject({ parameters: [{ name: 'list', in: 'query', required: true }] });
  });
});

describe('help', () => {
  test('for the method names every path', () => {
    const help = backend.help('');
    expect(help?.description.split('\n').map((line) => line.split(':').slice(0, -1).join(':'))).toEqual([
      'config',
      'rotate-root',
      'role/:name',
      'role',
      'login',
      'login/explain',
    ]);
    expect(backend.help('/')).toEqual(help);
  });

  test.each([
    ['config', CONFIG_FIELDS],
    ['role/dev', ROLE_FIELDS],
    ['login', LOGIN_FIELDS],
    ['login/', LOGIN_FIELDS],
    ['role', {}],
  ])('for %s has every field with its meaning and what it takes', (path, fields) => {
    const help = backend.help(path);
    expect(Object.keys(help?.fields ?? {})).toEqual(Object.keys(fields));
    for (const text of Object.values(help?.fields ?? {})) expect(text).toMatch(/^\S.+\. Takes \S.+\.$/s);
    expect(help?.synopsis).toMatch(/\.$/);
    expect(help?.description).toMatch(/\.$/);
  });

  test.each(['nowhere', 'role/a/b', '__proto__'])('for the unknown path %s is none', async (path) => {
    expect(backend.help(path)).toBeUndefined();
    expect(await backend.handleRequest({ id: 'request-1', operation: 'help', path })).toBeUndefined();
  });

  test('is an answer too', async () => {
    const answer = await backend.handleRequest({ id: 'request-1', operation: 'help', path: 'login' });
    expect(answer?.data).toEqual(backend.help('login'));
  });
});
