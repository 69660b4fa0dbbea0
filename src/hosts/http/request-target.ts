import { AuthMethodError } from '../../contract/index.js';

/** Where a request goes. */
export interface RequestTarget {
  /** Decoded path without the leading `/v1/`; `undefined` when it lies elsewhere. */
  readonly path: string | undefined;
  readonly query: URLSearchParams;
}

const PREFIX = '/v1/';
const ABSOLUTE_FORM = /^https?:\/\/[^/?#]*/i;
const FORBIDDEN = /[/\\\p{Cc}]/u;

/**
 * Reads the request target as it came over the wire. Each segment is percent-decoded once, and must then be a plain name:
 * what decodes to a slash, a backslash, a control character, `.` or `..`, or to nothing, is refused, so that no two readers of
 * a path can disagree on where it leads. One trailing slash is kept.
 *
 * @throws AuthMethodError `invalid_request`
 */
export function parseTarget(target: string): RequestTarget {
  const [, rawPath = '', rawQuery = ''] = /^([^?]*)\??(.*)$/s.exec(target.replace(ABSOLUTE_FORM, '')) ?? [];
  const query = new URLSearchParams(rawQuery);
  if (!rawPath.startsWith(PREFIX)) return { path: undefined, query };
  const segments = rawPath.slice(PREFIX.length).split('/');
  const decoded = segments.map((segment, index) => {
    if (segment === '' && index > 0 && index === segments.length - 1) return '';
    return decodeSegment(segment);
  });
  return { path: decoded.join('/'), query };
}

function decodeSegment(raw: string): string {
  const segment = /^[\x21-\x7e]*$/.test(raw) && !raw.includes('#') ? tryDecode(raw) : undefined;
  if (segment === undefined || segment === '' || segment === '.' || segment === '..' || FORBIDDEN.test(segment)) {
    throw new AuthMethodError('invalid_request', 'the path holds a segment that is empty, dots, or badly encoded');
  }
  return segment;
}

function tryDecode(raw: string): string | undefined {
  try {
    return decodeURIComponent(raw);
  } catch {
    return undefined;
  }
}
