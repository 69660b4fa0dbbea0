import type { OpenApiDocument, PathHelp } from '../contract/index.js';
import type { Field, Fields } from './field.js';
import type { OperationDefinition, PathDefinition } from './path.js';

/** Help text of one path. */
export function pathHelp(definition: PathDefinition): PathHelp {
  const fields = Object.entries(definition.fields).map(([name, field]) => [name, describeField(field)]);
  return { ...definition.help, fields: Object.fromEntries(fields) as Record<string, string> };
}

/** Help text of the whole method: its paths, one a line. */
export function methodHelp(synopsis: string, definitions: readonly PathDefinition[]): PathHelp {
  const lines = definitions.map(({ pattern, help }) => `${pattern}: ${help.synopsis}`);
  return { synopsis, description: lines.join('\n'), fields: {} };
}

/** OpenAPI 3.0 document of a set of paths, relative to the mount. */
export function openApiDocument(
  info: OpenApiDocument['info'],
  definitions: readonly PathDefinition[],
): OpenApiDocument {
  return {
    openapi: '3.0.2',
    info,
    paths: Object.fromEntries(definitions.map((definition) => [templateOf(definition), pathItem(definition)])),
    components: { schemas: {} },
  };
}

/** Meaning and accepted values of a field, as one text. */
export function describeField(field: Field): string {
  const old = field.deprecatedFor === undefined ? '' : ` Deprecated: use ${field.deprecatedFor}.`;
  return `${field.description} Takes ${field.takes}.${old}`;
}

function templateOf({ pattern }: PathDefinition): string {
  return `/${pattern.replace(/:(\w+)/g, '{$1}')}`;
}

function pathItem(definition: PathDefinition): Record<string, unknown> {
  const { write, read, list, delete: remove } = definition.operations;
  const parameters = Object.entries(definition.parameters ?? {}).map(([name, { description }]) => ({
    name,
    in: 'path',
    required: true,
    description,
    schema: { type: 'string' },
  }));
  const listQuery = { name: 'list', in: 'query', required: true, schema: { type: 'string', enum: ['true'] } };
  return {
    description: definition.help.synopsis,
    ...(parameters.length > 0 && { parameters }),
    ...(definition.unauthenticated && { 'x-vault-unauthenticated': true }),
    ...(definition.exists && { 'x-vault-createSupported': true }),
    ...(write && { post: { ...operationObject(write), requestBody: requestBody(definition.fields) } }),
    ...(read && { get: operationObject(read) }),
    // OpenAPI knows no method LIST: it is documented as the query form.
    ...(list && { get: { ...operationObject(list), parameters: [listQuery] } }),
    ...(remove && { delete: operationObject(remove) }),
  };
}

function operationObject({ summary }: OperationDefinition<Fields>): Record<string, unknown> {
  return { summary, responses: { '200': { description: 'OK' } } };
}

function requestBody(fields: Fields): Record<string, unknown> {
  const properties = Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, fieldSchema(field)]));
  const required = Object.entries(fields)
    .filter(([, field]) => field.required)
    .map(([name]) => name);
  const schema = { type: 'object', properties, ...(required.length > 0 && { required }) };
  return { content: { 'application/json': { schema } } };
}

function fieldSchema(field: Field): Record<string, unknown> {
  return {
    ...field.schema,
    description: describeField(field),
    ...(field.default !== undefined && { default: field.default }),
    ...(field.deprecatedFor !== undefined && { deprecated: true }),
    ...(field.secret && { format: 'password', writeOnly: true }),
  };
}
