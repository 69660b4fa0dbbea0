import type { Request, Response } from '../contract/index.js';
import type { Fields, FieldValues } from './field.js';

/** Operations a path can take. `write` stands for the host's `create` and `update`. */
export type PathOperation = 'write' | 'read' | 'delete' | 'list' | 'renew' | 'resolve-role';

/** A whole path segment that varies, for instance the role's name. */
export interface PathParameter {
  readonly description: string;
  readonly pattern: RegExp;
  /** Completes the sentence "takes ...". */
  readonly takes: string;
}

/** What a handler works on. */
export interface Call<F extends Fields> {
  readonly request: Request;
  /** Values of the path's parameters, checked against their patterns. */
  readonly parameters: Readonly<Record<string, string>>;
  /** Values of the body's fields. Empty for operations other than `write`, `renew` and `resolve-role`. */
  readonly values: FieldValues<F>;
  /** Sentences for the caller; handlers add to it. */
  readonly warnings: string[];
}

/** One operation on one path. */
export interface OperationDefinition<F extends Fields> {
  /** One line for help and OpenAPI. */
  readonly summary: string;
  handle(call: Call<F>): Promise<Response | undefined>;
}

/**
 * A path is data: routing, validation, help, OpenAPI and the manifest are all derived from it.
 */
export interface PathDefinition<F extends Fields = Fields> {
  /** Segments below the mount; one that begins with `:` is a parameter, for instance `role/:name`. */
  readonly pattern: string;
  readonly parameters?: Readonly<Record<string, PathParameter>>;
  readonly fields: F;
  readonly operations: Readonly<Partial<Record<PathOperation, OperationDefinition<F>>>>;
  /** Whether hosts let callers without a service token in. Default false. */
  readonly unauthenticated?: boolean;
  /** Whether what a write would write is there already. Absent: the question makes no sense. */
  exists?(parameters: Readonly<Record<string, string>>): Promise<boolean>;
  readonly help: { readonly synopsis: string; readonly description: string };
}

/** Helps the compiler connect the handlers of a definition with its fields. */
export function definePath<const F extends Fields>(definition: PathDefinition<F>): PathDefinition {
  return definition;
}
