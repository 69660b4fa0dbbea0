import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { readEnvironmentsFile } from '../../src/environments-file.js';
import { refused } from '../support/refused.js';

const directory = mkdtempSync(join(tmpdir(), 'environments-'));
const path = join(directory, 'environments.json');
afterAll(() => rmSync(directory, { recursive: true }));

const MOON = {
  name: 'CloudMoonCloud',
  authorityHost: 'https://login.moon.example',
  resourceManagerEndpoint: 'https://management.moon.example:8443/arm',
  resourceManagerAudience: 'https://management.moon.example/',
  graphEndpoint: 'https://graph.moon.example',
};

function read(content: unknown): ReturnType<typeof readEnvironmentsFile> {
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return readEnvironmentsFile(path);
}

function unusable(why: string | RegExp): unknown {
  const prefix = `environments file ${path}: `;
  const message = typeof why === 'string' ? prefix + why : new RegExp(`^${prefix}${why.source}`);
  return expect.objectContaining(refused('not_configured', message));
}

test.each([undefined, ''])('no file gives no environments: %p', (nothing) => {
  expect(readEnvironmentsFile(nothing)).toEqual([]);
});

test('an empty list gives no environments', () => {
  expect(read([])).toEqual([]);
});

test('an environment is read as it stands', () => {
  expect(read([MOON, { ...MOON, name: 'Other', aliases: ['AzureOther'] }])).toEqual([
    { ...MOON, aliases: [] },
    { ...MOON, name: 'Other', aliases: ['AzureOther'] },
  ]);
});

test('certificates are read from a file beside it', () => {
  writeFileSync(join(directory, 'moon.pem'), 'the certificates');
  expect(read([{ ...MOON, caFile: 'moon.pem' }])).toEqual([{ ...MOON, aliases: [], ca: 'the certificates' }]);
  expect(read([{ ...MOON, caFile: join(directory, 'moon.pem') }])[0]).toMatchObject({ ca: 'the certificates' });
});

describe('a file that cannot be used is an error that names it:', () => {
  test('it is not there', () => {
    const missing = join(directory, 'missing.json');
    expect(() => readEnvironmentsFile(missing)).toThrow(
      expect.objectContaining(refused('not_configured', `environments file ${missing}: it cannot be read`)),
    );
  });

  test('its certificates are not there', () => {
    const message = `environments file ${join(directory, 'missing.pem')}: it cannot be read`;
    expect(() => read([{ ...MOON, caFile: 'missing.pem' }])).toThrow(
      expect.objectContaining(refused('not_configured', message)),
    );
  });

  test.each(['', '[', '{,}', 'canary-not-json'])('it is not JSON: %j', (content) => {
    expect(() => read(content)).toThrow(unusable('it is not JSON'));
  });

  test.each<[unknown, string | RegExp]>([
    [{}, 'file must be array'],
    ['null', 'file must be array'],
    [['CloudMoonCloud'], 'file/0 must be object'],
    [[{ ...MOON, name: '' }], /file\/0\/name must NOT have fewer than 1 characters/],
    [[{ ...MOON, aliases: 'AzureMoonCloud' }], 'file/0/aliases must be array'],
    [[MOON, { ...MOON, colour: 'grey' }], 'file/1 must NOT have additional properties: "colour"'],
    [[{ ...MOON, ca: 'PEM' }], 'file/0 must NOT have additional properties: "ca"'],
    ['[{ "__proto__": {} }]', /file\/0 must /],
  ])('%j', (content, why) => {
    expect(() => read(content)).toThrow(unusable(why));
  });

  test.each(Object.keys(MOON))('%s is missing', (name) => {
    expect(() => read([{ ...MOON, [name]: undefined }])).toThrow(
      unusable(`file/0 must have required property '${name}'`),
    );
  });

  test.each(['authorityHost', 'resourceManagerEndpoint', 'graphEndpoint'])('%s is no https URL', (name) => {
    for (const url of [
      'http://login.moon.example',
      'login.moon.example',
      'https://',
      'https://login.moon.example/',
      'https://login.moon.example?x=y',
      'https://login.moon.example#x',
      ' https://login.moon.example',
      'ftp://login.moon.example',
      7,
    ]) {
      expect(() => read([{ ...MOON, [name]: url }])).toThrow(unusable(new RegExp(`file/0/${name} must `)));
    }
  });
});
