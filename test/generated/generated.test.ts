import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { Ajv } from 'ajv';
import { VERSION } from '../../src/version.js';
import { manifest, ROOT } from './manifest.js';
import { readmeBlocks, withBlocks } from './readme.js';

// `npm run generate` writes the files instead of comparing them.
const isWriting = process.env['GENERATE'] === '1';

function readText(name: string): string {
  return readFileSync(join(ROOT, name), 'utf8');
}

test('plugin.manifest.json says what the backend registers', async () => {
  const wanted = await manifest();
  if (isWriting) writeFileSync(join(ROOT, 'plugin.manifest.json'), `${JSON.stringify(wanted, null, 2)}\n`);
  expect(JSON.parse(readText('plugin.manifest.json'))).toEqual(wanted);
});

test('plugin.manifest.json keeps to its schema, which refuses what is none', () => {
  const accepts = new Ajv().compile(JSON.parse(readText('src/plugin.manifest.schema.json')) as object);
  const content = JSON.parse(readText('plugin.manifest.json')) as Record<string, unknown>;
  expect(accepts(content) || accepts.errors).toBe(true);
  expect(accepts({ ...content, type: 'secret' })).toBe(false);
  expect(accepts({ ...content, paths: [] })).toBe(false);
});

test('the tables of the README are those of the code', async () => {
  const text = readText('README.md');
  const wanted = withBlocks(text, readmeBlocks(await manifest()));
  if (isWriting) writeFileSync(join(ROOT, 'README.md'), wanted);
  expect(readText('README.md')).toBe(wanted);
});

test('the version is that of the package', () => {
  expect((JSON.parse(readText('package.json')) as { version: string }).version).toBe(VERSION);
});
