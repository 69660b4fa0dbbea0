import { isRecord } from './records.js';

/** What is kept of a provider's error body. Everything else in it may quote the request. */
export interface Problem {
  /** Such as `AuthorizationFailed` or `invalid_client`. */
  readonly code?: string;
  /** The directory's number, as in `AADSTS7000215`. */
  readonly number?: number;
}

/** Reads the error shapes of the resource manager (`error.code`) and of the directory (`error`, `error_codes`). */
export function parseProblem(body: Uint8Array): Problem {
  const parsed = parseJson(body);
  if (!isRecord(parsed)) return {};
  const { error, error_codes: numbers } = parsed;
  const code = isRecord(error) ? error['code'] : error;
  const number: unknown = Array.isArray(numbers) ? numbers[0] : undefined;
  return {
    ...(typeof code === 'string' && /^\w{1,64}$/.test(code) ? { code } : {}),
    ...(Number.isSafeInteger(number) ? { number: number as number } : {}),
  };
}

function parseJson(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(body)) as unknown;
  } catch {
    return undefined;
  }
}
