import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { Ajv } from 'ajv';
import { AuthMethodError } from './contract/index.js';
import type { CloudEnvironment } from './contract/index.js';

/** One entry of the file: like {@link CloudEnvironment}, with certificates in a file beside it. */
type FileEntry = Omit<CloudEnvironment, 'ca' | 'aliases'> & {
  readonly aliases?: readonly string[];
  readonly caFile?: string;
};

const URL_SCHEMA = { type: 'string', pattern: '^https://[^/?#]+(/[^?#]*)?[^/?#]$', maxLength: 2048 };
const FILE_SCHEMA = {
  type: 'array',
  items: {
    type: 'object',
    required: ['name', 'authorityHost', 'resourceManagerEndpoint', 'resourceManagerAudience', 'graphEndpoint'],
    additionalProperties: false,
    properties: {
      name: { type: 'string', minLength: 1 },
      aliases: { type: 'array', items: { type: 'string', minLength: 1 } },
      authorityHost: URL_SCHEMA,
      resourceManagerEndpoint: URL_SCHEMA,
      resourceManagerAudience: { type: 'string', minLength: 1 },
      graphEndpoint: URL_SCHEMA,
      caFile: { type: 'string', minLength: 1 },
    },
  },
};

/**
 * Reads the clouds of a JSON file: an array of environments, each with an optional `caFile` (PEM, relative to the file).
 *
 * @param path - the file; absent or empty gives none
 * @throws `not_configured` naming the file and what is wrong with it
 */
export function readEnvironmentsFile(path: string | undefined): readonly CloudEnvironment[] {
  if (path === undefined || path === '') return [];
  const entries = parse(path, read(path));
  return entries.map(({ caFile, aliases = [], ...entry }) => ({
    ...entry,
    aliases,
    ...(caFile !== undefined && { ca: read(resolve(dirname(path), caFile)) }),
  }));
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw unusable(path, 'it cannot be read', cause);
  }
}

function parse(path: string, text: string): FileEntry[] {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch (cause) {
    throw unusable(path, 'it is not JSON', cause);
  }
  const ajv = new Ajv();
  if (ajv.validate<FileEntry[]>(FILE_SCHEMA, content)) return content;
  const unknown: unknown = ajv.errors?.[0]?.params['additionalProperty'];
  const why = ajv.errorsText(ajv.errors, { dataVar: 'file' });
  throw unusable(path, unknown === undefined ? why : `${why}: ${JSON.stringify(unknown)}`);
}

function unusable(path: string, why: string, cause?: unknown): AuthMethodError {
  return new AuthMethodError('not_configured', `environments file ${path}: ${why}`, { cause });
}
