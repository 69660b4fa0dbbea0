import type { OpenApiDocument } from '../../contract/index.js';
import type { Mount } from './mount.js';

/** One OpenAPI document of all mounts; paths are relative to `/v1`. Components of the same name and kind are taken once. */
export function mergeOpenApi(mounts: readonly Mount[]): OpenApiDocument {
  const paths: Record<string, Readonly<Record<string, unknown>>> = {};
  const components: Record<string, object> = {};
  for (const { backend, record } of mounts) {
    const document = backend.openapi();
    for (const [path, item] of Object.entries(document.paths)) paths[`/auth/${record.path}${path}`] = item;
    for (const [kind, members] of Object.entries(document.components)) {
      components[kind] = { ...(members as object), ...components[kind] };
    }
  }
  return { openapi: '3.0.2', info: { title: 'Auth methods', version: '1' }, paths, components };
}
