import { AuthMethodError } from '../contract/index.js';
import type { Operation, Request, Response } from '../contract/index.js';
import type { Fields } from './field.js';
import type { PathDefinition, PathOperation } from './path.js';
import { fieldReader, show } from './read-fields.js';
import type { FieldReader } from './read-fields.js';

/** A path that matched, with the values of its parameters. */
export interface Match {
  readonly definition: PathDefinition;
  readonly parameters: Readonly<Record<string, string>>;
}

const PATH_OPERATIONS: Readonly<Partial<Record<Operation, PathOperation>>> = {
  create: 'write',
  update: 'write',
  read: 'read',
  delete: 'delete',
  list: 'list',
  renew: 'renew',
  'resolve-role': 'resolve-role',
};

const WITH_BODY: ReadonlySet<PathOperation> = new Set(['write', 'resolve-role']);

/**
 * Finds the path of a request, checks parameters and body, and calls the handler.
 *
 * What it does not do: no wildcards and no regular expressions across segments; no decoding of escapes (hosts decode once);
 * no folding of case; one trailing slash is dropped, any other empty segment matches nothing; no permissions (hosts check).
 */
export class Router {
  readonly #routes: readonly { definition: PathDefinition; segments: readonly string[] }[];
  readonly #readers = new Map<PathDefinition, FieldReader<Fields>>();

  constructor(readonly definitions: readonly PathDefinition[]) {
    this.#routes = definitions.map((definition) => ({ definition, segments: definition.pattern.split('/') }));
  }

  /** The definition for a path; `undefined` when there is none. */
  match(path: string): Match | undefined {
    const segments = path.replace(/\/$/, '').split('/');
    for (const route of this.#routes) {
      const parameters = matchSegments(route.segments, segments);
      if (parameters !== undefined) return { definition: route.definition, parameters };
    }
    return undefined;
  }

  /** Serves a request on the path it names. Throws `not_found`, `unsupported_operation` or what the handler throws. */
  async serve(request: Request): Promise<Response | undefined> {
    const match = this.match(request.path);
    if (match === undefined) throw new AuthMethodError('not_found', `no such path: ${show(request.path)}`);
    const { definition, parameters } = match;
    const name = PATH_OPERATIONS[request.operation];
    const operation = name && definition.operations[name];
    if (name === undefined || operation === undefined) {
      throw new AuthMethodError('unsupported_operation', `${definition.pattern} does not take ${request.operation}`);
    }
    checkParameters(match);
    const warnings: string[] = [];
    const values = WITH_BODY.has(name) ? this.#reader(definition)(request.data ?? {}, warnings) : {};
    const response = await operation.handle({ request, parameters, values, warnings });
    return warnings.length === 0 ? response : { ...response, warnings };
  }

  /** Whether what a write to the path would write is there already; `undefined` where the question makes no sense. */
  async exists(path: string): Promise<boolean | undefined> {
    const match = this.match(path);
    if (match?.definition.exists === undefined) return undefined;
    checkParameters(match);
    return match.definition.exists(match.parameters);
  }

  // Compiled at first use: a server is ready sooner, and most never see a write to most paths.
  #reader(definition: PathDefinition): FieldReader<Fields> {
    let reader = this.#readers.get(definition);
    if (reader === undefined) {
      reader = fieldReader(definition.fields, Object.keys(definition.parameters ?? {}));
      this.#readers.set(definition, reader);
    }
    return reader;
  }
}

function matchSegments(pattern: readonly string[], segments: readonly string[]): Record<string, string> | undefined {
  if (pattern.length !== segments.length) return undefined;
  const parameters: Record<string, string> = {};
  for (const [index, expected] of pattern.entries()) {
    const segment = segments[index] ?? '';
    if (expected.startsWith(':')) {
      if (segment === '') return undefined;
      parameters[expected.slice(1)] = segment;
    } else if (segment !== expected) {
      return undefined;
    }
  }
  return parameters;
}

function checkParameters({ definition, parameters }: Match): void {
  for (const [name, parameter] of Object.entries(definition.parameters ?? {})) {
    const value = parameters[name] ?? '';
    if (!parameter.pattern.test(value)) {
      throw new AuthMethodError('invalid_request', `${name}: got ${show(value)}; takes ${parameter.takes}`, {
        field: name,
      });
    }
  }
}
